import { expect } from 'chai';
import { readConfig } from '#base/runtime';
import { findingOf } from '../../../support/stack/doctor.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';

const DAY_MS = 86_400_000;

describe('flagmeter doctor of tokens', () => {
  const world = sharedUncountedWorld();

  it('finds tokens that last longer than new ones may', async () => {
    const { rows } = await world.db.query<{ id: string }>(
      `select id from api_tokens where type = 'client' and revoked_at is null order by created_at, id`,
    );
    const [first = { id: '' }, second = { id: '' }] = rows;
    await world.db.query(
      `update api_tokens
       set expires_at = created_at + case id when $1 then 30 else 32 end * interval '1 day'
       where id in ($1, $2)`,
      [first.id, second.id],
    );
    const found = await findingOf(
      'token lifetimes',
      readConfig({ ...world.env, MAX_DAYS_OF_CLIENT_TOKENS: '30' }),
    );
    await world.db.query(`update api_tokens set expires_at = null where type = 'client'`);

    expect(found.state).to.equal('warn');
    expect(found.text).to.include(second.id).and.not.include(first.id);
    expect(await findingOf('token lifetimes', world.config)).to.include({ state: 'ok' });
  });

  it('names valid tokens that were not used for 90 days', async () => {
    const age = async (column: string, days: number): Promise<string> => {
      const { rows } = await world.db.query<{ id: string }>(
        `update api_tokens
         set ${column} = $1
         where id = (select id from api_tokens where created_at > $2 and revoked_at is null order by id limit 1)
         returning id`,
        [new Date(Date.now() - days * DAY_MS), new Date(Date.now() - DAY_MS)],
      );
      return rows[0]?.id ?? 'none';
    };
    const forgotten = await age('created_at', 100);
    const used = await age('created_at', 101);
    await world.db.query('update api_tokens set seen_at = now() where id = $1', [used]);
    const revoked = await age('created_at', 102);
    await world.db.query('update api_tokens set revoked_at = now() where id = $1', [revoked]);

    expect(await findingOf('unused tokens', world.config)).to.include({
      state: 'warn',
      text: `These tokens were not used in the last 90 days: ${forgotten}.`,
    });
  });
});
