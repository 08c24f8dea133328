import { expect } from 'chai';
import { SYSTEM } from '#base/tokens';
import { gatherHeld } from '../../../../../services/admin/advice/notifications/store/gather.ts';
import { recordAttempt } from '../../../../../services/admin/advice/notifications/store/attempts.ts';
import { createNotifications } from '../../../../../services/admin/advice/notifications/store.ts';
import { eventually } from '../../../../support/eventually.ts';
import { countBlocked } from '../../../../support/stack/engines/postgres/blocked-statements.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';

describe('a subscription', () => {
  const world = sharedWorldWithoutTopics();

  async function aMessage(state: 'held' | 'pending'): Promise<{ subscriptionId: number; id: string }> {
    const { rows } = await world.db.query<{ subscriptionId: number; id: string }>(
      `with subscription as (
         insert into notification_subscriptions (name, channel, host, causes, created_by)
         values ('test', 'webhook', 'example.org', '{event}', 'test')
         returning id
       )
       insert into notification_deliveries (subscription_id, type, data, state)
       select id, 'event', '{}', $1 from subscription
       returning subscription_id as "subscriptionId", id`,
      [state],
    );
    const [message] = rows;
    if (message === undefined) throw new Error('nothing was inserted');
    return message;
  }

  const sent = [
    {
      what: 'the outcome of a message is recorded',
      state: 'pending',
      act: ({ subscriptionId, id }: { subscriptionId: number; id: string }) => {
        const message = { id, type: 'event', at: new Date(), data: { sentence: '', page: '' } };
        const receiver = { channel: 'webhook', sealId: '', sealedUrl: '', sealedSecret: '' } as const;
        return recordAttempt(world.db, { subscriptionId, message, receiver, attempts: 1 }, undefined);
      },
    },
    { what: 'its messages are summed up', state: 'held', act: () => gatherHeld(world.db) },
  ] as const;

  for (const { what, state, act } of sent)
    it(`is deleted while ${what}, and both end`, async () => {
      const message = await aMessage(state);
      const { delete: remove } = createNotifications({ db: world.db, lists: world.db }, undefined);
      const other = await world.db.connect();
      // Both wait for the message, so that both have begun before either of them ends.
      await other.query('begin');
      await other.query('select from notification_deliveries where id = $1 for update', [message.id]);
      const acting = act(message);
      await untilBlocked(1);
      const deletion = remove(message.subscriptionId, SYSTEM);
      await untilBlocked(2);
      await other.query('commit');
      other.release();
      const ends = await Promise.allSettled([acting, deletion]);
      expect(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : 'done'))).to.deep.equal([
        'done',
        'done',
      ]);
      const { rows } = await world.db.query('select from notification_deliveries where id = $1', [
        message.id,
      ]);
      expect(rows).to.have.length(0);
    });

  async function untilBlocked(count: number): Promise<void> {
    await eventually(
      () => countBlocked(world),
      (blocked) => blocked === count,
    );
  }
});
