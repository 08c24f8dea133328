import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { migratePostgres, withMigrationLock } from '#base/postgres';
import { FlagmeterError } from '#base/runtime';
import { collectLog } from '../../support/stack/processes/collected-log.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';

describe('a migration that must wait', () => {
  const world = sharedUncountedWorld();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'flagmeter-'));
    await world.db.query('create table locked (id integer)');
    await cp('infra/migrations/postgres', folder, { recursive: true });
    await writeFile(path.join(folder, '9999_locked.sql'), 'alter table locked add column name text');
  });
  after(() => rm(folder, { recursive: true }));

  it('names the connection that migrates, and gives up', async () => {
    const { log, lines } = collectLog();
    const access = world.config.postgres;
    await withMigrationLock({ access, log }, async () => {
      const failure = await withMigrationLock({ access, log, giveUpMs: 1000 }, nothing).catch(failed);
      expect(failure).to.be.instanceOf(FlagmeterError);
      expect(failure)
        .to.have.property('message')
        .that.matches(/pid \d+ \(flagmeter migrations, role flagmeter/);
    });
    const waiting = lines().filter(({ msg }) => msg === 'waiting for another process that migrates');
    expect(waiting).to.have.length(1);
    expect(waiting[0]?.['holder']).to.match(/pid \d+ \(flagmeter migrations, role flagmeter/);
  });

  it('names who locks its table, and is cancelled after the deadline', async () => {
    const { log, lines } = collectLog();
    const access = world.config.postgres;
    const other = await world.db.connect();
    await other.query('begin; lock table locked in access exclusive mode');
    const failure = await withMigrationLock({ access, log, giveUpMs: 3000 }, () =>
      migratePostgres(access, folder, log),
    ).catch(failed);
    await other.query('rollback');
    other.release();
    expect(failure).to.have.property('message').that.includes('canceling statement');
    const [waiting] = lines().filter(({ msg }) => msg === 'a migration waits for a lock of Postgres');
    expect(waiting?.['holders']).to.match(/pid \d+ \(flagmeter, role flagmeter/);
  });
});

const nothing = (): Promise<void> => Promise.resolve();
const failed = (error: unknown): unknown => error;
