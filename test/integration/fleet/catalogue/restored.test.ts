import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { COPIED_TABLES, copyTable, prunePastConfigurations, registerApplications } from '#fleet/catalogue';
import { registrationOf } from '#core/counting';
import { dumpDatabase, restoreDump } from '#base/postgres';
import {
  addRow,
  changeRows,
  deleteRow,
  readBoth,
  setAhead,
} from '../../../support/stack/engines/postgres/copied-rows.ts';
import { type World, createWorld } from '../../../support/world.ts';

/** Every table of the catalogue sync, whichever there are. */
describe('copies in ClickHouse', function () {
  this.timeout(300_000);
  let world: World;
  let other: World;
  let folder: string;
  let writes = 0;

  before(async () => {
    [world, other] = await Promise.all([createWorld(), createWorld()]);
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flagmeter-restored-'));
    await fill();
    await sync();
  });
  afterEach(() => rm(folder, { recursive: true }));
  after(async () => {
    await world.dispose();
    await other.dispose();
  });

  it('equal an older Postgres that was restored without flagmeter, with and without later changes', async () => {
    await write('kept');
    await sync();
    const file = join(folder, 'dump');
    await dumpDatabase(world.config.postgres, file);
    await write('lost');
    await write('lost too');
    await sync();
    await restore(file);
    await write('new');
    await sync();
    await expectEqual();

    await restore(file);
    await sync();
    await expectEqual();
  });

  it('equal a Postgres that has overtaken what it lost', async () => {
    const file = join(folder, 'dump');
    await dumpDatabase(world.config.postgres, file);
    await write('lost');
    await sync();
    await restore(file);
    for (const mark of ['one', 'two', 'three']) await write(mark);
    await sync();
    await expectEqual();
  });

  it('follow changes after the clock of Postgres was a day ahead', async () => {
    await write('before');
    for (const table of COPIED_TABLES) await setAhead(world, table);
    await sync();
    await expectEqual();
    await write('after');
    await sync();
    await expectEqual();
  });

  it('follow changes although the clock of ClickHouse was a day ahead', async () => {
    for (const { copies } of COPIED_TABLES)
      await world.query(`select throwIf(count() = 0) from ${copies} final`).then(() =>
        world.clickhouse.command({
          query: `insert into ${copies} select * replace (copied_at + interval 1 day as copied_at) from ${copies} final`,
        }),
      );
    await write('after');
    await sync();
    await expectEqual();
  });

  it('are all that Postgres deletes, by what they are and not by their ids', async () => {
    await world.db.query('truncate past_configurations');
    const insert = (name: string, id: string) =>
      world.db.query(
        `insert into past_configurations (id, feature_name, environment, enabled, strategies, variants, valid_from, valid_to)
         overriding system value
         values (${id}, $1, 'production', true, '[]', '[]', now() - interval '50 days', now() - interval '40 days')`,
        [name],
      );
    await insert('copied', '1');
    await insert('lost', '2');
    await sync();
    await world.db.query('delete from past_configurations where id = 2');
    await insert('never copied', '2');
    await prune();
    expect(await remaining()).to.deep.equal(['never copied']);

    await sync();
    await prune();
    expect(await remaining()).to.deep.equal([]);
    await copyAll();
    const history = await world.query<{ name: string }>(
      `select feature_name as name from past_configuration_copies final
       where feature_name in ('copied', 'lost', 'never copied') order by name`,
    );
    expect(history.map(({ name }) => name)).to.deep.equal(['copied', 'never copied']);
  });

  it('keep the history of a feature whose configuration came into force with the clock of tomorrow', async () => {
    await world.db.query(
      `insert into features (name, project) values ('ahead', 'default') on conflict do nothing`,
    );
    const configure = (enabled: boolean) =>
      world.db.query(
        `insert into feature_environments (feature_name, environment, enabled) values ('ahead', 'production', $1)
         on conflict (feature_name, environment) do update set enabled = excluded.enabled`,
        [enabled],
      );
    await configure(true);
    await configure(false);
    await world.db.query(
      `update past_configurations set valid_to = valid_to + interval '1 day', revision = gen_random_uuid()
       where feature_name = 'ahead'`,
    );
    await world.db.query(
      `update feature_environments set changed_at = changed_at + interval '1 day' where feature_name = 'ahead'`,
    );
    await sync();
    await configure(true);
    await configure(false);
    await sync();

    const history = await world.query(
      `select enabled, valid_from <= now64() and ifNull(valid_to <= now64(), true) as is_past,
         valid_from = lagInFrame(valid_to, 1, valid_from) over (order by valid_from, valid_to is null, valid_to) as follows
       from feature_configuration_history
       where feature_name = 'ahead'
       order by valid_from, valid_to is null, valid_to`,
    );
    const row = (enabled: boolean) => ({ enabled, is_past: 1, follows: 1 });
    expect(history).to.deep.equal([row(true), row(false), row(true), row(false)]);
  });

  /** A row of each table. The test of each table begins with it. */
  async function fill(): Promise<void> {
    const { db } = world;
    await registerApplications(db, [registrationOf({ appName: 'shop', instanceId: 'one' }, Date.now())]);
    await db.query(`
      insert into features (name, project) values ('first', 'default') on conflict do nothing;
      insert into past_configurations (feature_name, environment, enabled, strategies, variants, valid_from, valid_to)
        values ('first', 'production', true, '[]', '[]', now(), now());
      insert into events (type, created_by) values ('feature-created', 'ana');
      insert into change_requests (project, environment, title, state, created_by)
        values ('default', 'production', 'first', 'Applied', -1);
      insert into code_repositories (name, branch, commit, committed_at, pushed_by, left_out)
        values ('shop', 'main', 'c1', now(), 'ci', 0) on conflict do nothing`);
  }

  /** Adds and deletes rows of each table, and changes the others. */
  async function write(text: string): Promise<void> {
    writes += 1;
    const mark = `${text} ${writes}`;
    for (const table of COPIED_TABLES) {
      await addRow(world, table, `${mark} gone`);
      await addRow(world, table, mark);
      if (table.appended !== undefined) continue;
      await deleteRow(world, table, `${mark} gone`);
      await changeRows(world, table, mark);
    }
  }

  async function sync(): Promise<void> {
    for (const table of COPIED_TABLES) await copyTable(world, table, 'newest');
  }

  async function copyAll(): Promise<void> {
    for (const table of COPIED_TABLES) await copyTable(world, table);
  }

  async function restore(file: string): Promise<void> {
    await world.db.query('drop schema public cascade');
    await world.db.query('create schema public');
    await restoreDump(world.config.postgresOwner, file);
  }

  async function expectEqual(): Promise<void> {
    for (const table of COPIED_TABLES) {
      const { shown, expected } = await readBoth({ ...world, empty: other.clickhouse }, table);
      expect(expected.length, table.name).to.be.above(0);
      expect(shown, table.name).to.deep.equal(expected);
    }
  }

  function prune(): Promise<void> {
    return prunePastConfigurations(world.db, world.shards.all, new AbortController().signal);
  }

  async function remaining(): Promise<string[]> {
    const { rows } = await world.db.query<{ name: string }>(
      'select feature_name as name from past_configurations',
    );
    return rows.map(({ name }) => name);
  }
});
