import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCredentials } from '#base/auth';
import type { Postgres } from '#base/postgres';
import { type Engine, freePort, startPostgres } from '../../../../tools/stack/index.ts';
import { openAdminPools } from '../../../../services/admin/pools.ts';
import {
  type AdminWorld,
  aFeature,
  aUser,
  createAdminWorld,
  type ExampleCall,
  exampleCalls,
  versionIn,
} from '../../../support/admin-api/admin.ts';
import { WITHOUT_POSTGRES } from '../../../support/admin-api/without-postgres.ts';
import { freezeWithChildren } from '../../../support/stack/engines/own-engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { someByDay } from '../../../support/nightly.ts';

const PASSWORDS = { postgres: 'of-one-test', superuser: 'of-one-test-too' };

describe('the admin API without Postgres', () => {
  const directory = mkdtempSync(join(tmpdir(), 'flagmeter-admin-'));
  let port: number;
  let engine: Engine;
  let world: AdminWorld;
  let viewer: string;
  let admin: string;
  before(async () => {
    port = await freePort();
    engine = await startPostgres({ directory, port, passwords: PASSWORDS });
    world = await createAdminWorld({ DATABASE_URL: engine.address });
    viewer = (await aUser(world.api, 'Viewer', 'vera')).token;
    admin = (await aUser(world.api, 'Admin', 'ada')).token;
    await aFeature(world.api, 'f');
  });
  after(async () => {
    await world.dispose();
    await engine.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const CALLS = [
    ['GET', '/api/admin/strategies'],
    ['GET', '/api/admin/feedback'],
    ['GET', '/api/admin/events'],
    ['GET', '/api/admin/events?project=default'],
    ['GET', '/api/admin/projects/default/change-requests/1'],
    ['DELETE', '/api/admin/archive/f'],
    ['DELETE', '/api/admin/projects/default/features/f/favorites'],
  ] as const;

  /** Without a limit, an answer would never come. */
  async function expectUnavailable(): Promise<void> {
    await Promise.all(
      CALLS.map(async ([method, path]) => {
        const { status, body, headers } = await world.api.call(method, path);
        expect(status, `${method} ${path}`).to.equal(503);
        expect(body).to.include({ name: 'ServiceUnavailable' });
        expect(headers.get('retry-after')).to.equal('5');
      }),
    );
    // Without Postgres an unknown token may be valid: never 401.
    expect((await world.api.get('/api/admin/strategies', { token: 'user:unheard' })).status).to.equal(503);
  }

  async function expectRecovery(): Promise<void> {
    const look = async () =>
      Promise.all(
        CALLS.slice(0, 4).map(async ([method, path]) => (await world.api.call(method, path)).status),
      );
    await eventually(look, (statuses) => statuses.every((status) => status === 200));
    expect((await world.api.get('/api/admin/strategies', { token: viewer })).status).to.equal(200);
  }

  it('limits the time of every wait', async () => {
    const credentials = openCredentials(world.config, world.log);
    const pools = openAdminPools(world.config, world.log);
    expect(await timeoutsOf(credentials.db)).to.deep.equal(['2s', '15s']);
    expect(await timeoutsOf(pools.db)).to.deep.equal(['10s', '15s']);
    expect(await timeoutsOf(pools.lists)).to.deep.equal(['10s', '15s']);
    expect(credentials.db.options).to.include({ connectionTimeoutMillis: 2000, query_timeout: 2200, max: 8 });
    for (const { options } of [pools.db, pools.lists])
      expect(options).to.include({ connectionTimeoutMillis: 5000, query_timeout: 10_200, max: 4 });
    await pools.close();
    await credentials.close();
  });

  async function timeoutsOf(db: Postgres): Promise<string[]> {
    const { rows } = await db.query<{ value: string }>(
      'select current_setting(name) as value from unnest($1::text[]) as name',
      [['statement_timeout', 'idle_in_transaction_session_timeout']],
    );
    return rows.map(({ value }) => value);
  }

  it('answers 503 while Postgres is stopped, and recovers', async () => {
    // Remembered from now on. Only users have their own tokens.
    expect((await world.api.get('/api/admin/strategies', { token: admin })).status).to.equal(200);
    await engine.stop();
    await expectUnavailable();
    // Postgres is asked once a second.
    await eventually(
      async () => (await fetch(`${world.api.url}/ready`)).status,
      (status) => status === 503,
    );
    const isServed = ({ id }: ExampleCall): boolean => WITHOUT_POSTGRES.includes(id);
    for (const call of someByDay(exampleCalls(world.api), 1 / 3, isServed)) {
      const { id, method, path, body } = call;
      const { status } = await world.api.call(method, path, { body, token: admin, headers: versionIn(call) });
      expect(status, id).to.equal(isServed(call) ? 200 : 503);
    }
    engine = await startPostgres({ directory, port, passwords: PASSWORDS });
    await expectRecovery();
  });

  it('answers 503 while Postgres is frozen, and recovers', async () => {
    const thaw = await freezeWithChildren(engine);
    try {
      await expectUnavailable();
    } finally {
      thaw();
    }
    await expectRecovery();
  });
});
