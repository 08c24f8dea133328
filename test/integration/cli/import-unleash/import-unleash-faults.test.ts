import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { dumpDatabase, inTransaction, restoreDump } from '#base/postgres';
import { type UnleashHistory, createUnleashHistory } from '../../../support/stack/engines/unleash-history.ts';
import { eventually } from '../../../support/eventually.ts';
import { itByTurns, itNightly } from '../../../support/nightly.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { type CliEnding, cliEnv, runCli } from '../../../support/stack/processes/cli.ts';
import { programOf } from '../../../support/stack/processes/programs.ts';
import { type World, createWorld } from '../../../support/world.ts';

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().replace(/T.*/, 'T09:00:00Z');

const TWO_DAYS_AGO = new Date(Date.now() - 2 * 86_400_000).toISOString().replace(/T.*/, 'T09:00:00Z');

const WAITING_FOR_TABLE = `
  select
  from pg_locks
  where not granted
    and relation = 'history_messages'::regclass
    and database = (select oid from pg_database where datname = current_database())`;

const itInTurn = itByTurns(2);

describe('flagmeter import-unleash, interrupted', () => {
  let world: World;
  let unleash: UnleashHistory;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flagmeter-history-'));
    unleash = await createUnleashHistory();
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1', UNLEASH_DATABASE_URL: unleash.url });
  });
  afterEach(async () => {
    await world.dispose();
    await unleash.dispose();
    await rm(folder, { recursive: true });
  });

  itInTurn('imports once if two run at the same time', async () => {
    await unleash.addMany(20_000, YESTERDAY);
    const endings = await Promise.all([runImport(), runImport()]);
    const failed = endings.filter(({ code }) => code !== 0);

    expect(failed.length).to.be.lessThan(2);
    for (const { stderr } of failed) expect(stderr).to.match(/wait until it ends|run it again/);
    expect(await sumsOfUsage()).to.deep.equal({ yes: '20000', rows: '20000' });
  });

  itInTurn(
    'counts everything once after it was killed during an INSERT, even if Unleash has deleted the rows',
    async () => {
      await expectCountedOnceAfter('during-insert');
    },
  );

  itNightly('counts everything once after it was killed after an INSERT', async () => {
    await expectCountedOnceAfter('after-insert');
  });

  itInTurn(
    'imports nothing twice after an older Postgres was restored, during the import and before it',
    async () => {
      await unleash.addMany(40_000, TWO_DAYS_AGO);
      const file = join(folder, 'dump');
      const killed = start({ KILL_POINT: 'after-insert', KILL_BLOCK: '0' });
      expect(await once(killed, 'exit')).to.deep.equal([null, 'SIGKILL']);
      await dumpDatabase(world.config.postgres, file);
      await callCli(world, 'import-unleash', '--yes');
      const whole = { yes: '40000', rows: '40000' };
      expect(await sumsOfUsage()).to.deep.equal(whole);

      await world.db.query('drop schema public cascade');
      await world.db.query('create schema public');
      await restoreDump(world.config.postgresOwner, file);
      await callCli(world, 'import-unleash', '--yes');
      expect(await sumsOfUsage()).to.deep.equal(whole);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);

      await world.db.query('delete from history_messages');
      await world.db.query('delete from history_imports');
      await unleash.addMany(1, YESTERDAY);
      const { output } = await callCli(world, 'import-unleash', '--yes');
      expect(output).to.include('1 row of Unleash imported');
      expect(await sumsOfUsage()).to.deep.equal({ yes: '40001', rows: '40001' });
      const { rows } = await world.db.query('select number from history_imports order by number');
      expect(rows).to.deep.equal([{ number: 1 }, { number: 2 }]);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    },
  );

  itInTurn('changes nothing if it was killed while it copied', async () => {
    await unleash.addMany(2000, YESTERDAY);
    await inTransaction(world.db, async (client) => {
      await client.query('lock table history_messages in exclusive mode');
      const killed = start();
      await eventually(
        () => world.db.query(WAITING_FOR_TABLE),
        ({ rowCount }) => (rowCount ?? 0) > 0,
        60_000,
      );
      killed.kill('SIGKILL');
      await once(killed, 'exit');
    });
    const { rows } = await world.db.query('select from history_imports');
    expect(rows).to.deep.equal([]);
    await callCli(world, 'import-unleash', '--yes');

    expect(await sumsOfUsage()).to.deep.equal({ yes: '2000', rows: '2000' });
  });

  async function expectCountedOnceAfter(point: string): Promise<void> {
    await unleash.addMany(10_000, YESTERDAY);
    const killed = start({ KILL_POINT: point, KILL_BLOCK: '0', KILL_DELAY_MS: '5' });
    expect(await once(killed, 'exit')).to.deep.equal([null, 'SIGKILL']);
    await unleash.db.query('delete from client_metrics_env');
    const foretold = await callCli(world, 'import-unleash');
    expect(foretold.output).to.include(
      'it was interrupted: 0 of 10 messages counted, --yes counts the others.',
    );
    await callCli(world, 'import-unleash', '--yes');

    expect(await sumsOfUsage()).to.deep.equal({ yes: '10000', rows: '10000' });
    expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    await callCli(world, 'import-unleash', '--yes');
    expect(await sumsOfUsage()).to.deep.equal({ yes: '10000', rows: '10000' });
  }

  function runImport(): Promise<CliEnding> {
    return runCli(world, ['import-unleash', '--yes']);
  }

  function start(env: Record<string, string> = {}): ChildProcess {
    const { file, options } = programOf('cli', ['kill-at-point']);
    const args = [...options, file, 'import-unleash', '--yes'];
    return spawn(process.execPath, args, { env: cliEnv(world, env), stdio: 'ignore' });
  }

  async function sumsOfUsage(): Promise<unknown> {
    const [sums] = await world.query('select sum(u.yes) as yes, count() as rows from usage_by_hour as u');
    return sums;
  }
});
