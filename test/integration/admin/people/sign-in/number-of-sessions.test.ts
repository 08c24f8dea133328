import { expect } from 'chai';
import { codeOf } from '../../../../support/code-of.ts';
import { eventually } from '../../../../support/eventually.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';
import { type SignInWorld, createSignInWorld } from '../../../../support/servers/identity/sign-in-world.ts';
import { type Wanderer, createWanderer, signIn } from '../../../../support/servers/identity/wanderer.ts';

describe('a session of somebody with many others', () => {
  let world: SignInWorld;
  before(async () => {
    world = await createSignInWorld((account) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: ['editors'],
    }));
  });

  const statusOf = async (wanderer: Wanderer): Promise<number> =>
    (await wanderer.fetch(`${world.url}/api/admin/user`)).status;

  async function userOf(wanderer: Wanderer): Promise<{ id: number }> {
    const answer = await wanderer.fetch(`${world.url}/api/admin/user`);
    return ((await answer.json()) as { user: { id: number } }).user;
  }

  it('begins at most a hundred times an hour for each person, who then still has the roles of their groups', async () => {
    const wanderer = await world.signedIn('tireless');
    const { id } = await userOf(wanderer);
    await world.db.query(
      `insert into sessions (id, user_id, secret_hash, ends_at, created_at, revoked_at)
       select gen_random_uuid(), $1, 'tireless ' || n, now(), now() - n * interval '30 seconds', now()
       from generate_series(1, 99) as n`,
      [id],
    );
    await world.db.query(`update users set root_role = 'Admin' where id = $1`, [id]);
    const { status, text } = await signIn(createWanderer(), world.url, 'tireless');
    expect(status).to.equal(429);
    expect(text).to.include('You have signed in too often');
    expect(await statusOf(wanderer)).to.equal(200);
    const { rows } = await world.db.query('select root_role from users where id = $1', [id]);
    expect(rows).to.deep.equal([{ root_role: 'Editor' }]);
    await world.db.query(
      `update sessions set created_at = created_at - interval '1 hour' where user_id = $1`,
      [id],
    );
    expect((await signIn(createWanderer(), world.url, 'tireless')).status).to.not.equal(429);
  });

  it('is not ended by twenty others that began tomorrow, by a clock that was ahead', async () => {
    const { id } = await userOf(await world.signedIn('early'));
    await world.db.query(
      `insert into sessions (id, user_id, secret_hash, ends_at, created_at, seen_at)
       select gen_random_uuid(), $1, 'early ' || n, now() + interval '2 days', now() + interval '1 day', now() + interval '1 day'
       from generate_series(1, 20) as n`,
      [id],
    );
    expect(await statusOf(await world.signedIn('early'))).to.equal(200);
  });

  it('ends with all others by flagmeter session revoke --all, in every process', async () => {
    const browsers = await Promise.all(['one', 'two'].map((account) => world.signedIn(account)));
    for (const browser of browsers) expect(await statusOf(browser)).to.equal(200);
    expect((await callCli(world, 'session', 'revoke', '--all')).output).to.match(/^Revoked \d+ sessions\./);
    for (const browser of browsers)
      await eventually(
        () => statusOf(browser),
        (status) => status === 401,
      );
    expect(await codeOf(() => callCli(world, 'session', 'revoke'))).to.equal('usage');
  });
});
