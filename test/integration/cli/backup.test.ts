import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { prunePastConfigurations, syncPastConfigurations } from '#fleet/catalogue';
import { refreshVerdicts, runStatement } from '#core/clickhouse';
import { encodeIntent, encodeRegistrations, registrationOf } from '#core/counting';
import { examine, setUp } from '#tooling/operations';
import { openPostgres } from '#base/postgres';
import type { Service } from '#base/runtime';
import { codeOf } from '../../support/code-of.ts';
import { eventually } from '../../support/eventually.ts';
import { aCountsValue } from '../../support/builders/builders.ts';
import {
  aFreshCountsValue,
  appendApplications,
  appendCounts,
  commitPosition,
  readPosition,
} from '../../support/stack/engines/kafka/kafka-log.ts';
import { untilApplicationsHandled } from '../../support/stack/engines/kafka/topics.ts';
import { configWithServiceRole } from '../../support/stack/engines/service-role.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';
import { itByTurns } from '../../support/nightly.ts';

const DAY_MS = 86_400_000;

const itInTurn = itByTurns(2);

/** In this order: the later tests lose databases. */
describe('flagmeter backup and restore', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '2' });
  let parent: string;
  let folder: string;
  let worker: Service;

  before(async () => {
    await callCli(
      world,
      'token',
      'create',
      '--name',
      'of-the-day',
      '--type',
      'client',
      '--environment',
      'night',
    );
    await appendCounts(world, [aFreshCountsValue('before-0'), aBatchOfDaysAgo('before-1', 3)]);
    worker = await runWorker(world);
    await world.settled();
  });
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'flagmeter-backup-'));
    folder = join(parent, 'night');
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('is not stopped by a large object, which anybody can make who may connect', async () => {
    const config = configWithServiceRole(world);
    await setUp(config, world.log);
    const other = openPostgres({ ...config.postgres, maxConnections: 1, log: world.log });
    await other.query(`select lo_from_bytea(0, 'x')`);
    const { exitCode } = await callCli(world, 'backup', folder);
    await other.query('select lo_unlink(oid) from pg_largeobject_metadata');
    await other.end();
    expect(exitCode).to.equal(0);
  });

  it('writes files that only their owner can read, and removes them if the backup fails', async () => {
    await callCli(world, 'backup', folder);
    const modes: Record<string, string> = {};
    for (const name of await readdir(folder))
      modes[name] = ((await stat(join(folder, name))).mode & 0o777).toString(8);
    expect(modes).to.deep.equal({ 'backup.json': '600', 'postgres.dump': '600' });

    const backUpTo = (disk: string) => callCli(world, 'backup', join(parent, 'other'), '--disk', disk);
    expect(await codeOf(() => backUpTo("x', 'y"))).to.equal('usage');
    expect(await codeOf(() => backUpTo('objects'))).to.equal('disk');
    const message = await backUpTo('nope').then(String, String);
    expect(message)
      .to.match(/ClickHouse: .*nope/)
      .and.not.include('Stack trace');
    expect(await readdir(parent)).to.deep.equal(['night']);
  });

  it('loses nothing: a backup under load, both databases lost in the middle of a block, the rest from Kafka', async () => {
    const during = Array.from({ length: 20 }, (_, index) => aFreshCountsValue(`during-${index}`));
    await Promise.all([callCli(world, 'backup', folder), appendCounts(world, during, 1)]);
    await appendCounts(world, [aFreshCountsValue('after-0'), aBatchOfDaysAgo('after-1', 20)]);
    await appendApplications(world, [encodeRegistrations([registrationOf({ appName: 'new' }, Date.now())])]);
    await untilApplicationsHandled(world);
    await world.settled();
    await worker.stop();
    const views = await readViews();
    const audit = await callCli(world, 'audit', 'verify');
    await appendCounts(world, [aFreshCountsValue('in-doubt')]);
    const { offset } = (await readPosition(world)) ?? { offset: 0n };
    await commitPosition(world, { offset, metadata: encodeIntent({ to: offset + 1n, at: Date.now() }) });
    await loseBothDatabases();

    const { output } = await callCli(world, 'restore', folder);
    expect(output).to.include('Restored: ');
    expect(await readViews()).to.deep.equal(views);
    expect(await callCli(world, 'audit', 'verify')).to.deep.equal(audit);
    expect(audit.output).to.include('1 entry agree');
    expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    await refreshVerdicts(world.clickhouse);
    const findings = await examine(world.config, world.log);
    expect(findings.find(({ check }) => check === 'ClickHouse verdicts')).to.include({ state: 'ok' });

    worker = await runWorker(world);
    await untilApplicationsHandled(world);
    const { total } = await world.settled();
    await worker.stop();
    expect(total).to.include({ received: 25, counted: 25, refused: 0, duplicate: 0, dead: 0 });
    expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    expect((await callCli(world, 'token', 'list')).output).to.include('of-the-day');
    const { rows } = await world.db.query('select app_name from client_applications');
    expect(rows).to.deep.include({ app_name: 'new' });
  });

  itInTurn(
    'keeps the history in a restored ClickHouse that Postgres has deleted since the backup',
    async () => {
      await world.db.query(
        `insert into past_configurations (feature_name, environment, enabled, strategies, variants, valid_from, valid_to)
       values ('old', 'production', true, '[]', '[]', now() - interval '50 days', now() - interval '40 days')`,
      );
      await syncPastConfigurations(world.db, world.clickhouse);
      await callCli(world, 'backup', folder);
      await prunePastConfigurations(world.db, world.shards.all, new AbortController().signal);
      expect((await world.db.query('select from past_configurations')).rowCount).to.equal(0);
      await loseClickHouse();
      await callCli(world, 'restore', folder, '--only', 'clickhouse');
      await syncPastConfigurations(world.db, world.clickhouse);
      const history = await world.query(
        `select feature_name, is_gone from past_configuration_copies final where feature_name = 'old'`,
      );
      expect(history).to.deep.equal([{ feature_name: 'old', is_gone: 0 }]);
    },
  );

  itInTurn(
    'restores only into empty databases, while no worker runs, and from a complete backup',
    async () => {
      await callCli(world, 'backup', folder);
      expect(await codeOf(() => callCli(world, 'restore', join(parent, 'other')))).to.equal('backup');
      worker = await runWorker(world);
      expect(await codeOf(() => callCli(world, 'restore', folder))).to.equal('worker-running');
      await worker.stop();
      expect(await codeOf(() => callCli(world, 'restore', folder))).to.equal('not-empty');

      await losePostgres();
      expect(await codeOf(() => callCli(world, 'restore', folder))).to.equal('not-empty');
      const asService = { ...world, config: configWithServiceRole(world) };
      await callCli(asService, 'restore', folder, '--only', 'postgres');
      expect((await callCli(asService, 'token', 'list')).output).to.include('of-the-day');
      expect((await callCli(asService, 'audit', 'verify')).exitCode).to.equal(0);
    },
  );

  itInTurn(
    'ends the sessions and the schedules that have passed of a restored Postgres, and says what is valid again',
    async () => {
      await world.db.query(`
      insert into users (id, username) values (77, 'ana');
      insert into sessions (id, user_id, secret_hash, ends_at) values (gen_random_uuid(), 77, 'x', now() + interval '1 day');
      insert into change_requests (id, project, environment, title, state, created_by)
        values (71, 'default', 'production', 'passed', 'Scheduled', 77), (72, 'default', 'production', 'later', 'Scheduled', 77);
      insert into change_request_schedule (change_request, scheduled_at, version, created_by)
        values (71, now() + interval '1 second', 1, 77), (72, now() + interval '1 day', 1, 77)`);
      await callCli(world, 'backup', folder);
      await eventually(
        () => world.db.query('select from change_request_schedule where scheduled_at <= now()'),
        ({ rowCount }) => rowCount === 1,
      );
      await losePostgres();
      const { output } = await callCli(world, 'restore', folder, '--only', 'postgres');
      expect(output).to.include('Ended: 1 session, and 1 schedule whose time has passed.');
      expect(output).to.match(/Tokens and roles that were revoked after \S+ are valid again/);
      const { rows } = await world.db.query(
        `select change_request as id, status, reason like 'Postgres was restored%' as says from change_request_schedule order by 1`,
      );
      expect(rows).to.deep.equal([
        { id: 71, status: 'failed', says: true },
        { id: 72, status: 'pending', says: null },
      ]);
      expect((await world.db.query('select from sessions where revoked_at is null')).rowCount).to.equal(0);
    },
  );

  async function loseBothDatabases(): Promise<void> {
    await loseClickHouse();
    await losePostgres();
  }

  async function loseClickHouse(): Promise<void> {
    await runStatement(world.clickhouse, `drop database ${world.config.clickhouse.database} sync`);
  }

  async function losePostgres(): Promise<void> {
    await world.db.query('drop schema public cascade');
    await world.db.query('create schema public');
  }

  async function readViews(): Promise<unknown> {
    return {
      days: await world.query('select * except is_complete from usage_by_day order by all'),
      hours: await world.query('select * except is_complete from usage_by_hour order by all'),
      minutes: await world.query('select * except is_complete from usage_by_minute order by all'),
    };
  }
});

function aBatchOfDaysAgo(batchId: string, days: number): Uint8Array {
  const timestamp = new Date(Date.now() - days * DAY_MS).toISOString();
  return aCountsValue({ batchId, receivedAt: Date.now(), metrics: [aFreshMetric({ timestamp, yes: 1 })] });
}
