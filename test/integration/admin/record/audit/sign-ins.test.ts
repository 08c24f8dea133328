import { expect } from 'chai';
import {
  type SignInWorld,
  createSignInWorld,
  headersOf,
} from '../../../../support/servers/identity/sign-in-world.ts';
import { createWanderer, signIn } from '../../../../support/servers/identity/wanderer.ts';
import { eventually } from '../../../../support/eventually.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';

type Entry = Readonly<Record<string, unknown>>;

describe('sign-ins in the audit', () => {
  let world: SignInWorld;
  before(async () => {
    world = await createSignInWorld((account) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: account === 'stranger' ? [] : ['editors'],
    }));
  });

  async function newest(where: string): Promise<Entry> {
    const [entry] = await eventually(
      async () =>
        (await world.db.query<Entry>(`select * from audit where ${where} order by sequence desc limit 1`))
          .rows,
      ({ length }) => length > 0,
    );
    return entry ?? {};
  }

  it('has who signed in and out, with session and address', async () => {
    const ana = await world.signedIn('ana');
    const signedIn = await newest(`event = 'signed-in' and user_name = 'ana@example.org'`);
    expect(signedIn).to.include({ operation: 'signIn', credential: 'session', address: '127.0.0.1' });
    const created = await newest(`event = 'user-created'`);
    expect(created).to.include({ operation: 'signIn', user_name: 'ana@example.org' });
    await ana.fetch(`${world.url}/sign-out`, { method: 'POST', headers: headersOf(ana, world.url) });
    const signedOut = await newest(`event = 'session-ended'`);
    expect(signedOut).to.include({
      operation: 'signOut',
      user_name: 'ana@example.org',
      credential_id: signedIn['credential_id'],
    });
  });

  it('has whom flagmeter gave no session, and why', async () => {
    await signIn(createWanderer(), world.url, 'stranger');
    const refused = await newest(`operation = 'signIn' and outcome = 'refused' and status = 403`);
    expect(refused['reason']).to.equal('Your account may not use flagmeter');
    expect(refused['parameters']).to.include({ issuer: world.provider.issuer });
    await createWanderer().visit(`${world.url}/sign-in/callback?code=x&state=y`);
    const stray = await newest(`operation = 'signIn' and status = 400`);
    expect(stray['reason']).to.equal('This sign-in did not begin here');
    const browser = createWanderer();
    const begun = await browser.fetch(`${world.url}/sign-in`);
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    await browser.visit(`${world.url}/sign-in/callback?code=x&state=${state}`);
    const forged = await newest(`operation = 'signIn' and status = 400 and reason not like 'This%'`);
    expect(forged['reason']).to.include('invalid response');
    expect(forged).to.include({ outcome: 'refused', status: 400 });
  });

  it('has the sessions that an Admin and the command line end', async () => {
    await world.signedIn('eva');
    const { credential_id: id, user_id: userId } = await newest(`user_name = 'eva@example.org'`);
    await callCli(world, 'session', 'revoke', String(id));
    expect(await newest(`event = 'session-ended'`)).to.include({ operation: 'flagmeter session revoke' });
    await world.api.delete(`/api/admin/user-admin/${Number(userId)}/sessions`);
    expect(await newest(`event = 'sessions-ended'`)).to.include({
      operation: 'deleteSessionsOfUser',
      credential: 'admin',
    });
  });
});
