import { randomUUID } from 'node:crypto';
import { type Sealer, WITHOUT_ADDRESS, createWebhookSecret, sealReceiver } from '../webhooks/index.ts';
import { inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notValid } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import type { NewSubscription, Subscription, SubscriptionUpdate } from './schema.ts';
import { listDeliveries, queueTest } from './store/deliveries.ts';
import { readSubscription, readSubscriptions } from './store/read.ts';
import { toDescribed } from './store/rows.ts';
import { type NewTarget, insertSubscription, lockSubscription, updateSubscription } from './store/write.ts';

export type Notifications = ReturnType<typeof createNotifications>;

export type NewAddress = { readonly url: string; readonly sealer: Sealer };

export type Created = { readonly subscription: Subscription; readonly secret: string };

/** `secret` is null if it stays as it was. */
export type Updated = { readonly subscription: Subscription; readonly secret: string | null };

/** Subscriptions and their messages; each change of a subscription writes its event. `sealer` encrypts addresses and secrets. */
export function createNotifications({ db, lists }: AdminPools, sealer: Sealer | undefined) {
  return {
    sealer,
    list: (): Promise<Subscription[]> => readSubscriptions(lists, undefined),
    find: (id: number): Promise<Subscription> => readSubscription(db, id),

    create: create.bind(undefined, db),

    /** The first address after an import also makes a secret. */
    async update(
      id: number,
      update: Omit<SubscriptionUpdate, 'url'>,
      by: { readonly address: NewAddress | undefined; readonly caller: Caller },
    ): Promise<Updated> {
      const { newSecret: secret } = await inTransaction(db, async (client) => {
        const before = await lockSubscription(client, id);
        const { address } = by;
        const { enabled } = update;
        if (before.lacksAddress && address === undefined && enabled === true) throw notValid(WITHOUT_ADDRESS);
        const newSecret = before.lacksAddress && address !== undefined ? createWebhookSecret() : null;
        const target = address && { target: newTarget(address, before.sealId, newSecret) };
        const after = await updateSubscription(client, id, { ...update, ...target, caller: by.caller });
        await recordEvent(client, {
          type: 'notification-updated',
          caller: by.caller,
          data: after ?? {},
          preData: toDescribed(before),
        });
        return { newSecret };
      });
      return { subscription: await readSubscription(db, id), secret };
    },

    /** Its messages are deleted with it. */
    delete: (id: number, caller: Caller): Promise<void> =>
      inTransaction(db, async (client) => {
        const before = await lockSubscription(client, id);
        await client.query('delete from notification_subscriptions where id = $1', [id]);
        await recordEvent(client, { type: 'notification-deleted', caller, preData: toDescribed(before) });
      }),

    queueTest: queueTest.bind(undefined, db),
    listDeliveries: listDeliveries.bind(undefined, lists),
  };
}

async function create(
  db: AdminPools['db'],
  { url, ...subscription }: NewSubscription,
  by: { readonly sealer: Sealer; readonly caller: Caller },
): Promise<Created> {
  const sealId = randomUUID();
  const secret = createWebhookSecret();
  const target = { sealId, host: new URL(url).host, ...sealReceiver(by.sealer, sealId, { url, secret }) };
  const created = await inTransaction(db, async (client) => {
    const record = await insertSubscription(client, { ...subscription, url }, { target, caller: by.caller });
    await recordEvent(client, { type: 'notification-created', caller: by.caller, data: record });
    return record;
  });
  return { subscription: { ...created, ...NOTHING_SENT }, secret };
}

const NOTHING_SENT = { pending: 0, failed: 0, deliveredAt: null, problem: null };

/** Without a secret, that of the subscription stays. */
function newTarget({ url, sealer }: NewAddress, sealId: string, secret: string | null): NewTarget {
  const { sealedUrl, sealedSecret } = sealReceiver(sealer, sealId, { url, secret: secret ?? '' });
  return { host: new URL(url).host, sealedUrl, ...(secret === null ? {} : { sealedSecret }) };
}
