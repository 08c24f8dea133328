import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, nullableTime, text, time, uuid } from '#base/schema';
import { ALL_VERDICTS } from '../verdicts/thresholds.ts';
import { CAUSES, SCHEDULES } from './rules.ts';

const content = {
  name: { ...text('What it is for.'), minLength: 1 },
  channel: {
    type: 'string',
    enum: ['webhook', 'slack'],
    description:
      'webhook: JSON with a signature; slack: an incoming webhook of Slack, or of what speaks the same.',
  },
  causes: {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { type: 'string', enum: CAUSES },
    description: 'What is told.',
  },
  verdicts: {
    type: 'array',
    uniqueItems: true,
    items: { type: 'string', enum: ALL_VERDICTS },
    description: 'Only these verdicts; empty for all.',
  },
  eventTypes: {
    type: 'array',
    maxItems: 100,
    uniqueItems: true,
    items: text('A type, for example feature-archived.'),
    description: 'Only events of these types; empty for all.',
  },
  project: nullableText('Only about this project; null for all.'),
  owner: nullableText('Only about features of this owner; null for all.'),
  tag: nullableText('Only about features with this tag; null for all.'),
  schedule: {
    type: 'string',
    enum: SCHEDULES,
    description: 'at-once, or a digest each day or week, if there is something to tell.',
  },
  hour: { type: 'integer', minimum: 0, maximum: 23, description: 'Hour of the digest, in UTC.' },
  weekday: { type: 'integer', minimum: 1, maximum: 7, description: 'Day of the weekly digest; 1 is Monday.' },
  enabled: {
    type: 'boolean',
    description: 'false sends nothing. Messages that were written before are sent when it is true again.',
  },
} as const;

const url = text('https address of the receiver. It is stored encrypted, and no answer contains it.', 2000);

const described = {
  id: { type: 'integer' },
  ...content,
  host: text('Host of the address.'),
  createdAt: time('When it was created.'),
  createdBy: text('Who has created it.'),
} as const;

export const describedSchema = { type: 'object', ...members(described) } as const;

export const subscriptionSchema = {
  title: 'NotificationSubscription',
  type: 'object',
  ...members({
    ...described,
    pending: count('Messages that are being sent or wait for a summary.'),
    failed: count('Messages of the last 30 days that were given up.'),
    deliveredAt: nullableTime('When the receiver last accepted a message; null if never.'),
    problem: nullableText('Why the last attempt failed; null if it did not.', 1000),
  }),
} as const;

export const subscriptionsSchema = {
  title: 'NotificationSubscriptions',
  type: 'object',
  ...members({
    isReady: { type: 'boolean', description: 'Whether SECRETS_KEY is set, which subscriptions need.' },
    subscriptions: { type: 'array', items: subscriptionSchema },
  }),
} as const;

export const createdSubscriptionSchema = {
  ...subscriptionSchema,
  title: 'CreatedNotificationSubscription',
  required: [...subscriptionSchema.required, 'secret'],
  properties: {
    ...subscriptionSchema.properties,
    secret: nullableText('The secret of the signatures, shown only here; null for Slack, which knows none.'),
  },
} as const;

export const updatedSubscriptionSchema = {
  ...createdSubscriptionSchema,
  title: 'UpdatedNotificationSubscription',
  properties: {
    ...subscriptionSchema.properties,
    secret: nullableText('The secret if an imported subscription got its address; else null.'),
  },
} as const;

export const newSubscriptionSchema = {
  title: 'NewNotificationSubscription',
  type: 'object',
  required: ['name', 'channel', 'url', 'causes'],
  properties: { ...content, url },
} as const;

export const subscriptionUpdateSchema = {
  title: 'NotificationSubscriptionUpdate',
  type: 'object',
  description: 'Omitted members stay as they are.',
  minProperties: 1,
  properties: { ...content, url },
} as const;

export const deliverySchema = {
  title: 'NotificationDelivery',
  type: 'object',
  ...members({
    id: uuid('Id of the message, the same in all attempts: webhook-id.'),
    type: text('Type of the message, for example verdict.appeared.'),
    sentence: text('What is told.', 5000),
    state: {
      type: 'string',
      enum: ['held', 'gathered', 'pending', 'delivered', 'failed'],
      description:
        'held: waits for a summary; gathered: was told in one; pending: is being sent; failed: was given up after a day.',
    },
    createdAt: time('When it happened.'),
    attempts: count('Attempts.'),
    attemptedAt: nullableTime('The last attempt.'),
    nextAttemptAt: nullableTime('The next attempt, or the summary; null if there is none.'),
    deliveredAt: nullableTime('When the receiver accepted it.'),
    problem: nullableText('Why the last attempt failed; null if it did not.', 1000),
  }),
} as const;

export const deliveriesSchema = {
  title: 'NotificationDeliveries',
  type: 'object',
  ...members({
    total: count('Messages of the last 30 days, also those that are not listed.'),
    deliveries: { type: 'array', items: deliverySchema },
  }),
} as const;

/** A subscription as events show it: without its address and its secret, and without what became of its messages. */
export type Described = FromSchema<typeof describedSchema>;
export type Subscriptions = FromSchema<typeof subscriptionsSchema>;
export type Deliveries = FromSchema<typeof deliveriesSchema>;
export type Subscription = FromSchema<typeof subscriptionSchema>;
export type NewSubscription = FromSchema<typeof newSubscriptionSchema>;
export type SubscriptionUpdate = FromSchema<typeof subscriptionUpdateSchema>;
export type Delivery = FromSchema<typeof deliverySchema>;
