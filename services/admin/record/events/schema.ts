import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, nullableUuid, text, time, uuid } from '#base/schema';

const eventTokenSchema = {
  title: 'EventToken',
  type: ['object', 'null'],
  description:
    'The token or session that was sent. null for flagmeter itself, for events of Unleash, and while AUTH_TYPE is none.',
  ...members({
    id: { type: 'string', format: 'uuid' },
    createdByUserId: {
      type: ['integer', 'null'],
      description:
        'Who made the token: -42 for an ADMIN token; null if unknown. If it differs from createdByUserId of the event, the token was made in the name of another user.',
    },
    createdByTokenId: nullableUuid('ADMIN token that made the token, if any.'),
  }),
} as const;

/** An event, with the keys of Unleash (docs/develop/unleash.md#events-and-change-requests). */
export const eventSchema = {
  title: 'Event',
  type: 'object',
  description: 'An event.',
  ...members(
    {
      id: { type: 'integer' },
      type: text('Type of event, for example feature-archived.'),
      createdBy: text('E-mail or name of the user, or name of the token.'),
      createdAt: time('When it happened.'),
      createdByUserId: {
        type: ['integer', 'null'],
        description: '-42 for ADMIN tokens, -1337 for flagmeter.',
      },
      data: { type: ['object', 'null'], description: 'State after the event.' },
      preData: { type: ['object', 'null'], description: 'State before the event.' },
      tags: { type: 'array', items: { type: 'object' } },
      featureName: nullableText('Feature of the event.'),
      project: nullableText('Project of the event.'),
      environment: nullableText('Environment of the event.'),
      token: eventTokenSchema,
      groupType: text(
        'Type of the resource of the event, for example change-request; absent if there is none.',
      ),
      groupId: text('Id of that resource.'),
      comment: text('Why its author made the change; absent without a reason.', 500),
    },
    ['groupType', 'groupId', 'comment'],
  ),
} as const;

export const eventsSchema = {
  title: 'Events',
  type: 'object',
  description: 'Newest first.',
  ...members({
    version: { type: 'integer', const: 1 },
    events: { type: 'array', items: eventSchema },
    totalEvents: count('Number of items.'),
  }),
} as const;

export const featureEventsSchema = {
  ...eventsSchema,
  title: 'FeatureEvents',
  ...members({
    version: { type: 'integer', const: 1 },
    toggleName: { type: 'string' },
    events: { type: 'array', items: eventSchema },
    totalEvents: count('Number of items.'),
  }),
} as const;

const json = { description: 'Any JSON.' } as const;

export const exportedEventSchema = {
  type: 'object',
  required: ['uid', 'type', 'created_by', 'created_at'],
  properties: {
    uid: uuid('Never changes, so that an import recognises the record.'),
    created_at: time('Time of the event.'),
    type: text('Type of event.'),
    created_by: text('Name of the user or token that caused the event.'),
    user: nullableUuid('uid of a user.'),
    data: json,
    pre_data: json,
    tags: { type: 'array' },
    token: json,
    project: nullableText('Project.'),
    environment: nullableText('Environment.'),
    feature_name: nullableText('Feature.'),
    group_type: nullableText('Type of the resource of the event.'),
    group_id: nullableText('Id of that resource.'),
    comment: nullableText('Why its author made the change.', 500),
  },
} as const;

export type EventToken = Exclude<FromSchema<typeof eventTokenSchema>, null>;
export type Event = FromSchema<typeof eventSchema>;
