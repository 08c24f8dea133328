import { HttpProblem } from '#base/http';
import { type Sealer, type TargetRules, problemOfTarget } from '../webhooks/index.ts';
import { compileGuard, compileQuery } from '#base/schema';
import { notValid } from '../../denial.ts';
import { type AdminRequest, type Operation, idParameter, withBody } from '../../http/operation.ts';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import {
  type Delivery,
  type NewSubscription,
  type Subscription,
  type SubscriptionUpdate,
  createdSubscriptionSchema,
  deliveriesSchema,
  deliverySchema,
  newSubscriptionSchema,
  subscriptionSchema,
  subscriptionUpdateSchema,
  subscriptionsSchema,
  updatedSubscriptionSchema,
} from './schema.ts';
import type { Notifications } from './store.ts';

const EXAMPLE: Subscription = {
  id: 3,
  name: 'Clean-up of the shop',
  channel: 'webhook',
  host: 'hooks.example.org',
  causes: ['verdict-appeared'],
  verdicts: ['always_on', 'unknown'],
  eventTypes: [],
  project: 'shop',
  owner: null,
  tag: null,
  schedule: 'at-once',
  hour: 8,
  weekday: 1,
  enabled: true,
  createdAt: '2026-11-21T10:15:00.000Z',
  createdBy: 'ana',
  pending: 0,
  failed: 0,
  deliveredAt: '2026-11-22T10:15:00.000Z',
  problem: null,
};

const DELIVERY: Delivery = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  type: 'test',
  sentence: 'Messages of flagmeter arrive here. ana has tried it.',
  state: 'pending',
  createdAt: '2026-11-22T10:15:00.000Z',
  attempts: 0,
  attemptedAt: null,
  nextAttemptAt: '2026-11-22T10:15:00.000Z',
  deliveredAt: null,
  problem: null,
};

const PATH = '/api/admin/notifications';
const ONE = { description: 'The subscription.', schema: subscriptionSchema, example: EXAMPLE } as const;
const COMMON = { tag: 'Notifications', permission: 'ADMIN', scope: 'installation' } as const;

type DeliveriesQuery = { readonly limit: number };

/** Who is told of verdicts and events, and what became of each message. */
export function notificationOperations(notifications: Notifications, rules: TargetRules): Operation[] {
  return [
    {
      ...COMMON,
      id: 'listNotifications',
      queue: 'lists',
      method: 'get',
      path: PATH,
      summary: 'All subscriptions',
      answer: {
        status: 200,
        description: 'The subscriptions.',
        schema: subscriptionsSchema,
        example: { isReady: true, subscriptions: [EXAMPLE] },
      },
      run: async () => ({
        isReady: notifications.sealer !== undefined,
        subscriptions: await notifications.list(),
      }),
    },
    createSubscription(notifications, rules),
    ...changeOperations(notifications, rules),
    ...deliveryOperations(notifications),
  ];
}

function createSubscription(notifications: Notifications, rules: TargetRules): Operation {
  return {
    ...COMMON,
    id: 'createNotification',
    method: 'post',
    path: PATH,
    summary: 'Subscribe a receiver; only this answer contains the secret of its signatures',
    body: {
      schema: newSubscriptionSchema,
      example: {
        name: 'Clean-up of the shop',
        channel: 'webhook',
        url: 'https://hooks.example.org/flags',
        causes: ['verdict-appeared'],
        verdicts: ['always_on', 'unknown'],
        project: 'shop',
      },
    },
    answer: {
      status: 201,
      description: 'The subscription with its secret.',
      schema: createdSubscriptionSchema,
      example: { ...EXAMPLE, secret: 'whsec_…' },
    },
    run: withBody(compileGuard<NewSubscription>(newSubscriptionSchema), async ({ caller }, body) => {
      const sealer = sealerOf(notifications);
      rejectForbidden(body.url, rules);
      const { subscription, secret } = await notifications.create(body, { sealer, caller });
      return { ...subscription, secret: subscription.channel === 'slack' ? null : secret };
    }),
  };
}

function changeOperations(notifications: Notifications, rules: TargetRules): Operation[] {
  const path = `${PATH}/{notificationId}`;
  return [
    {
      ...COMMON,
      id: 'getNotification',
      method: 'get',
      path,
      summary: 'One subscription',
      answer: { status: 200, ...ONE },
      problems: [404],
      run: (request) => notifications.find(idOf(request)),
    },
    {
      ...COMMON,
      id: 'updateNotification',
      method: 'put',
      path,
      summary: 'Change a subscription',
      body: { schema: subscriptionUpdateSchema, example: { enabled: false } },
      answer: {
        status: 200,
        description: 'The subscription.',
        schema: updatedSubscriptionSchema,
        example: { ...EXAMPLE, secret: null },
      },
      problems: [404],
      run: withBody(compileGuard<SubscriptionUpdate>(subscriptionUpdateSchema), async (request, body) => {
        const { url, ...update } = body;
        const address = url === undefined ? undefined : { url, sealer: sealerOf(notifications) };
        if (url !== undefined) rejectForbidden(url, rules);
        const { caller } = request;
        const by = { address, caller };
        const { subscription, secret } = await notifications.update(idOf(request), update, by);
        return { ...subscription, secret: subscription.channel === 'slack' ? null : secret };
      }),
    },
    {
      ...COMMON,
      id: 'deleteNotification',
      method: 'delete',
      path,
      summary: 'Delete a subscription and its messages',
      answer: { status: 200, description: 'The subscription was deleted.' },
      problems: [404],
      run: (request) => notifications.delete(idOf(request), request.caller),
    },
  ];
}

function deliveryOperations(notifications: Notifications): Operation<DeliveriesQuery>[] {
  return [
    {
      ...COMMON,
      id: 'testNotification',
      method: 'post',
      path: `${PATH}/{notificationId}/test`,
      summary: 'Send a message that says only that messages arrive',
      answer: {
        status: 201,
        description: 'The message, which is sent within a second.',
        schema: deliverySchema,
        example: DELIVERY,
      },
      problems: [404],
      run: (request) => notifications.queueTest(idOf(request), request.caller),
    },
    {
      ...COMMON,
      id: 'listNotificationDeliveries',
      queue: 'lists',
      method: 'get',
      path: `${PATH}/{notificationId}/deliveries`,
      summary: 'The messages of a subscription in the last 30 days, newest first',
      query: compileQuery<DeliveriesQuery>({ type: 'object', properties: { limit: limitParameter } }),
      answer: {
        status: 200,
        description: 'The messages.',
        schema: deliveriesSchema,
        example: { total: 1, deliveries: [DELIVERY] },
      },
      problems: [404],
      run: (request) => notifications.listDeliveries(idOf(request), request.query.limit),
    },
  ];
}

function idOf(request: AdminRequest): number {
  return idParameter(request, 'notificationId');
}

function sealerOf({ sealer }: Notifications): Sealer {
  if (sealer === undefined)
    throw new HttpProblem(503, 'Set SECRETS_KEY, with which addresses and secrets are encrypted.');
  return sealer;
}

function rejectForbidden(url: string, rules: TargetRules): void {
  const problem = problemOfTarget(url, rules);
  if (problem !== undefined) throw notValid(`The url cannot be used. ${problem}`);
}
