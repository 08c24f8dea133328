import { expect } from 'chai';
import { createTokenUses, createTokens } from '#base/auth';
import { openPostgres } from '#base/postgres';
import { readConfig } from '#base/runtime';
import { hashSecret } from '#base/tokens';
import { startAdmin } from '../../../../services/admin/app.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { type Api, aUser, openApi } from '../../../support/admin-api/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import { callCli, rowsOf } from '../../../support/stack/processes/cli-in-process.ts';
import { startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { bodyOf, post } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  OTHER_CLIENT_TOKEN,
  type World,
} from '../../../support/world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const MINUTE_MS = 60_000;

type Listed = { readonly type: string; readonly environment: string; readonly seenAt: string | null };

describe('the last use of a token', () => {
  const world = sharedUncountedWorld();
  let api: Api;
  const ingest = sharedIngest(world);
  before(async () => {
    api = await openApi((await world.run(startAdmin)).url);
  });
  beforeEach(async () => {
    await world.db.query('update api_tokens set seen_at = null, seen_ipv4_at = null, seen_ipv6_at = null');
  });

  it('is not written for a token that is only validated, rejected, or whose batch is not stored', async () => {
    // A process writes once a minute, the first time soon. The other tests need that of the shared one.
    const own = await world.run(startIngest);
    const validation = JSON.stringify({ tokens: [OTHER_CLIENT_TOKEN] });
    await post(own, { path: '/edge/validate', authorization: '', body: validation });
    const bad = `{"seenTokens":${JSON.stringify([FRONTEND_TOKEN])}}`;
    expect((await post(own, { body: bad, authorization: ADMIN_TOKEN })).status).to.equal(400);
    await own.stop();
    const rows = await seenAts();
    expect(rows.get(ADMIN_TOKEN)).to.be.a('number');
    expect([rows.get(OTHER_CLIENT_TOKEN), rows.get(FRONTEND_TOKEN)]).to.deep.equal([null, null]);
  });

  it('is written soon after its first batch, also for the seen tokens in the batch, and listed by the admin API', async () => {
    const startedAt = Date.now();
    const seenTokens = [FRONTEND_TOKEN, '*:production.unknown', 7, null, '', 'x'.repeat(10_000)];
    const body = bodyOf().replace('{', `{"seenTokens":${JSON.stringify(seenTokens)},"impactMetrics":[{}],`);
    expect((await post(ingest, { body })).status).to.equal(202);
    const rows = await eventually(
      () => seenAts(),
      (seen) => seen.get(CLIENT_TOKEN) !== null && seen.get(FRONTEND_TOKEN) !== null,
    );
    expect(rows.get(CLIENT_TOKEN)).to.be.a('number').that.is.at.least(startedAt);
    expect(rows.get(FRONTEND_TOKEN)).to.be.a('number').that.is.at.least(startedAt);
    expect(rows.get(OTHER_CLIENT_TOKEN)).to.equal(null);
    const { tokens } = (await api.get('/api/admin/api-tokens')).body as { tokens: Listed[] };
    const client = tokens.find(({ type, environment }) => type === 'client' && environment === 'production');
    expect(client?.seenAt).to.match(/^\d{4}-\d\d-\d\dT/);
  });

  it('is known for each family of addresses, as a trusted proxy names the client', async () => {
    const behindProxy = readConfig({ ...world.env, TRUST_PROXY: '127.0.0.1' });
    const service = await world.run((_, log) => startIngest(behindProxy, log));
    const send = (address: string, authorization: string) =>
      post(service, { authorization, headers: { 'x-forwarded-for': address } });
    await send('192.0.2.1', CLIENT_TOKEN);
    await send('2001:db8::1', CLIENT_TOKEN);
    await send('::ffff:192.0.2.1', OTHER_CLIENT_TOKEN);
    await service.stop();
    const seen = await familiesOf(world);
    expect(seen.get(CLIENT_TOKEN)).to.deep.equal(['IPv4', 'IPv6']);
    expect(seen.get(OTHER_CLIENT_TOKEN)).to.deep.equal(['IPv4']);
  });

  it('of a personal token is written too', async () => {
    const own = await world.run(startAdmin);
    const { id, token } = await aUser(api, 'Viewer', 'vera');
    await (await openApi(own.url)).get('/api/admin/user', { token });
    await own.stop();
    const { rows } = await world.db.query<{ is_used: boolean }>(
      `select seen_at = seen_ipv4_at as is_used from personal_access_tokens where user_id = $1 and revoked_at is null`,
      [id],
    );
    expect(rows).to.deep.equal([{ is_used: true }]);
  });

  it('selects the tokens that were neither created nor used since a time', async () => {
    await world.db.query(`update api_tokens set created_at = now() - interval '100 days'`);
    await world.db.query(`update api_tokens set seen_at = now() where type = 'client'`);
    const unusedSince = async (days: number) => {
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const { body } = await api.get(`/api/admin/api-tokens?unusedSince=${since}`);
      return (body as { tokens: Listed[] }).tokens.map(({ type }) => type);
    };
    expect(await unusedSince(90))
      .to.include('frontend')
      .and.not.include('client');
    expect(await unusedSince(101)).to.deep.equal([]);
    expect((await api.get('/api/admin/api-tokens?unusedSince=x')).status).to.equal(400);
    const { output } = await callCli(world, 'token', 'list', '--unused', '90d');
    const types = rowsOf(output).map((row) => row['type']);
    expect(types).to.include('frontend').and.not.include('client');
  });

  it('is written at most once a minute, by any number of processes', async () => {
    const hash = hashSecret(CLIENT_TOKEN);
    const note = async (): Promise<void> => {
      const uses = createTokenUses(world.db, world.log);
      uses.note(hash);
      await uses.close();
    };
    await note();
    const first = (await seenAts()).get(CLIENT_TOKEN);
    expect(first).to.be.a('number');
    await Promise.all(Array.from({ length: 20 }, note));
    expect((await seenAts()).get(CLIENT_TOKEN)).to.equal(first);
    await world.db.query(`update api_tokens set seen_at = seen_at - interval '61 seconds'`);
    await note();
    expect((await seenAts()).get(CLIENT_TOKEN))
      .to.be.a('number')
      .that.is.greaterThan(Number(first) - MINUTE_MS);
  });

  it('is written when Postgres is back', async () => {
    const url = new URL(world.env['DATABASE_URL'] ?? '');
    const port = Number(url.port);
    const proxy = await startTcpProxy(() => port);
    url.port = String(proxy.port);
    const db = openPostgres({ ...world.config.postgres, url: url.toString(), log: world.log });
    try {
      const uses = createTokenUses(db, world.log);
      await proxy.cut();
      uses.note(hashSecret(CLIENT_TOKEN));
      await uses.close();
      expect((await seenAts()).get(CLIENT_TOKEN)).to.equal(null);
      await proxy.mend();
      await uses.close();
      expect((await seenAts()).get(CLIENT_TOKEN)).to.be.a('number');
    } finally {
      await db.end();
      await proxy.close();
    }
  });

  it('is held in memory for at most 10,000 tokens', async () => {
    const uses = createTokenUses(world.db, world.log);
    uses.note(hashSecret(FRONTEND_TOKEN));
    for (let index = 1; index < 10_000; index += 1) uses.note(`invented ${index}`);
    uses.note(hashSecret(CLIENT_TOKEN));
    await uses.close();
    expect((await seenAts()).get(FRONTEND_TOKEN)).to.be.a('number');
    expect((await seenAts()).get(CLIENT_TOKEN)).to.equal(null);
  });

  /** The families of addresses from which tokens were used, by secret. */
  async function familiesOf({ db }: World): Promise<Map<string, string[]>> {
    const { rows } = await db.query<{ secret_hash: string; ipv4: boolean; ipv6: boolean }>(
      `select secret_hash, seen_ipv4_at is not null as ipv4, seen_ipv6_at is not null as ipv6
       from api_tokens
       where seen_at is not null`,
    );
    const secrets = [CLIENT_TOKEN, OTHER_CLIENT_TOKEN];
    return new Map(
      rows.map(({ secret_hash, ipv4, ipv6 }) => [
        secrets.find((secret) => hashSecret(secret) === secret_hash) ?? '',
        [...(ipv4 ? ['IPv4'] : []), ...(ipv6 ? ['IPv6'] : [])],
      ]),
    );
  }

  /** By secret, in epoch milliseconds; null means never. */
  async function seenAts(): Promise<Map<string, number | null>> {
    const seen = new Map<string, number | null>();
    const stored = await createTokens(world.db).list();
    const { rows } = await world.db.query<{ id: string; secret_hash: string }>(
      'select id, secret_hash from api_tokens',
    );
    for (const secret of [ADMIN_TOKEN, CLIENT_TOKEN, OTHER_CLIENT_TOKEN, FRONTEND_TOKEN]) {
      const id = rows.find((row) => row.secret_hash === hashSecret(secret))?.id;
      seen.set(secret, stored.find((token) => token.id === id)?.seenAt?.getTime() ?? null);
    }
    return seen;
  }
});
