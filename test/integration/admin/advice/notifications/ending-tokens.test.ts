import { expect } from 'chai';
import { warnOfEndingTokens } from '#base/auth';
import { type AdminWorld, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';

const DAY_MS = 86_400_000;

describe('notifications of tokens that end', () => {
  let world: NotifiedWorld<AdminWorld>;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld);
  });

  it('come once for 14 days and once for 3 days before the end', async () => {
    const receiver = await world.startReceiver();
    const subscribed = await subscribe(world.api, receiver.url, { causes: ['token-ending'] });
    const id = await aToken('edge', 30);
    await aToken('short', 2);
    await warn();
    await endIn(id, 13.5);
    await Promise.all([warn(), warn(), warn()]);
    await endIn(id, 2.5);
    await warn();
    await warn();
    await endIn(await aToken('last', 30), 2.5);
    await warn();
    const received = await untilReceived(receiver, 3);
    const messages = received.map((one) => opened(one, subscribed));
    expect(messages.map(({ type, data }) => [type, data['tokenName']])).to.deep.equal([
      ['token.ending', 'edge'],
      ['token.ending', 'edge'],
      ['token.ending', 'last'],
    ]);
    const [first] = messages;
    expect(first?.data).to.include({ tokenId: id, tokenType: 'client', environment: 'production' });
    expect(first?.data.sentence).to.match(
      /^The client token edge of production ends at \d{4}-.*Z\. It was never used\.$/,
    );
    expect(JSON.stringify(messages)).to.not.include('secret');
  });

  it('come for a replaced token only if it is still used a day later', async () => {
    const receiver = await world.startReceiver();
    const subscribed = await subscribe(world.api, receiver.url, { causes: ['token-ending'] });
    const [idle, used] = [await aToken('idle', 300), await aToken('used', 300)];
    for (const id of [idle, used]) {
      await world.db.query(`update api_tokens set created_at = now() - interval '100 days' where id = $1`, [
        id,
      ]);
      expect((await world.api.post(`/api/admin/api-tokens/${id}/rotate`, {})).status).to.equal(201);
    }
    await world.db.query(
      `update api_tokens set created_at = now() - interval '2 days' where successor_of = any ($1)`,
      [[idle, used]],
    );
    await world.db.query('update api_tokens set seen_at = now() where id = $1', [used]);
    await warn();
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed).data).to.include({ tokenId: used });
    const { rows } = await world.db.query('select from api_tokens where id = $1 and warned_days is null', [
      idle,
    ]);
    expect(rows).to.have.length(1);
  });

  const warn = () => warnOfEndingTokens(world.db);

  async function aToken(tokenName: string, days: number): Promise<string> {
    const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
    const token = { tokenName, type: 'client', environment: 'production', expiresAt };
    const { body } = await world.api.post('/api/admin/api-tokens', token);
    return (body as { id: string }).id;
  }

  /** A token that was created some time ago. */
  const endIn = (id: string, days: number) =>
    world.db.query(
      `update api_tokens
       set created_at = now() - interval '100 days', expires_at = now() + $2 * interval '1 day'
       where id = $1`,
      [id, days],
    );
});
