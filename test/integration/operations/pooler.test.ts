import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import {
  type Postgres,
  dumpDatabase,
  openPostgres,
  withAdvisoryLock,
  withMigrationLock,
} from '#base/postgres';
import { FlagmeterError, createLog, readConfig } from '#base/runtime';
import { setUpPostgres } from '../../../packages/tooling/operations/setup/set-up.ts';
import { startIngest } from '../../../services/ingest/app.ts';
import { prepareUnlessImpossible } from '../../../tools/stack/index.ts';
import { eventually } from '../../support/eventually.ts';
import { eventTypesOf, runAdmin } from '../../support/admin-api/admin.ts';
import { type OwnEngine, ownPgBouncer } from '../../support/stack/engines/own-engines.ts';
import { stackEnv } from '../../support/stack/engines/stack-addresses.ts';
import { addressOf } from '../../support/stack/engines/world-databases.ts';
import { findingOf } from '../../support/stack/doctor.ts';
import { callCli, rowsOf } from '../../support/stack/processes/cli-in-process.ts';
import { post } from '../../support/requests/post.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import type { World } from '../../support/world.ts';

const POOLER = 'a pooler that shares connections of Postgres between transactions';
if ((await prepareUnlessImpossible('pgbouncer', POOLER)) !== undefined) describe(POOLER, testPooler);

function testPooler(): void {
  const { postgres: stack } = readConfig(stackEnv());
  const database = `pooled_${randomBytes(5).toString('hex')}`;
  let bouncer: OwnEngine;
  let world: World;
  /** Without the pooler. */
  let direct: Postgres;

  before(async () => {
    direct = openPostgres({ ...stack, maxConnections: 1, log: createLog('test', 'fatal') });
    await direct.query(`create database ${database}`);
    bouncer = await ownPgBouncer({ postgresUrl: stack.url, poolMode: 'transaction' });
    world = await createUncountedWorld({ DATABASE_URL: addressOf(bouncer.address, database) });
  });
  after(async () => {
    await world.dispose();
    await bouncer.dispose();
    // Without force, which would need the right to end an autovacuum worker. The pooler has closed its connections.
    await direct.query(`drop database ${database}`);
    await direct.end();
  });

  const heldLocks = async (): Promise<number> => {
    const { rows } = await direct.query<{ held: number }>(
      `select count(*)::int as held
       from pg_locks
       where locktype = 'advisory'
         and database = (select oid from pg_database where datname = $1)`,
      [database],
    );
    return rows[0]?.held ?? NaN;
  };

  it('keeps no lock of migrations, which can be run again and at once', async () => {
    const { config, log } = world;
    const migrate = () =>
      withMigrationLock({ access: config.postgresOwner, log }, () => setUpPostgres(config, log));
    await Promise.all([migrate(), migrate()]);
    expect(await heldLocks()).to.equal(0);
  });

  it('grants a lock once, and keeps it no longer than the work', async () => {
    const { postgres } = world.config;
    const outcome = await withAdvisoryLock(postgres, 'operator', async () => {
      const others = await Promise.all([1, 2, 3].map(() => withAdvisoryLock(postgres, 'operator', always)));
      return others.filter((other) => 'result' in other).length;
    });
    expect(outcome).to.deep.equal({ result: 0 });
    expect(await heldLocks()).to.equal(0);
    expect(await withAdvisoryLock(postgres, 'operator', always)).to.deep.equal({ result: true });
  });

  it('serves the admin API: a change and its event', async () => {
    const api = await runAdmin(world, {});
    const created = await api.post('/api/admin/projects/default/features', {
      name: 'pooled',
      type: 'release',
    });
    expect(created.status).to.equal(201);
    expect(await eventTypesOf(api, 'pooled')).to.deep.equal(['feature-created']);
  });

  it('serves ingest, the CLI and the worker: a new token, what it registers, and its end', async () => {
    const [ingest] = await Promise.all([world.run(startIngest), runWorker(world)]);
    const client = ['--type', 'client', '--environment', 'production'];
    const { output } = await callCli(world, 'token', 'create', '--name', 'pooled', ...client);
    const [authorization = ''] = /\S+:production\.\S+/.exec(output) ?? [];
    const register = async (appName: string): Promise<number> => {
      const body = JSON.stringify({ appName, instanceId: 'one' });
      return (await post(ingest, { path: '/api/client/register', authorization, body })).status;
    };
    expect(await register('pooled')).to.equal(202);
    await eventually(
      () => world.db.query(`select from client_applications where app_name = 'pooled'`),
      ({ rowCount }) => rowCount === 1,
    );
    const { output: list } = await callCli(world, 'token', 'list');
    await callCli(world, 'token', 'revoke', rowsOf(list).find(({ name }) => name === 'pooled')?.['id'] ?? '');
    await eventually(
      () => register('revoked'),
      (status) => status === 401,
    );
  });

  it('is named by flagmeter doctor, with the time limits that it leaves out', async () => {
    expect(await findingOf('Postgres pooler', world.config)).to.include({ state: 'warn' });
    const { username } = new URL(stack.url);
    await direct.query(`alter role ${username} in database ${database} set statement_timeout = '10s'`);
    // The setting is that of new connections.
    await direct.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ]);
    // A connection that has ended may still be given to the first who asks.
    const finding = await eventually(
      () => findingOf('Postgres pooler', world.config),
      (found) => !found.text.startsWith('Not checked'),
    );
    expect(finding.text).to.include('shares connections by transaction');
    expect(finding).to.include({ state: 'ok' });
  });

  it('is not used by pg_dump, whose settings other clients would have afterwards', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'flagmeter-'));
    const failure = await dumpDatabase(world.config.postgres, path.join(folder, 'dump')).catch(
      (error: unknown) => error,
    );
    await rm(folder, { recursive: true });
    expect(failure).to.be.instanceOf(FlagmeterError).with.property('code', 'pooler');
  });
}

const always = (): Promise<boolean> => Promise.resolve(true);
