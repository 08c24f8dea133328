import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { migrateAllShards, migrateClickHouse, migrateScratch } from '#core/clickhouse';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { type Answer, recordedClickHouse } from '../../../support/servers/upstream/clickhouse-server.ts';

const TABLE = `-- What is stored; and why.
create table if not exists a {on_cluster}
(n UInt8)
engine = {engine}MergeTree`;
const VIEW = "create view if not exists b {on_cluster} as select ';' from a";
const FILES = {
  '002-views.sql': `${VIEW};\n-- Nothing more.\n`,
  '001-tables.sql': `${TABLE}\norder by n;\n\n{include copies.sql}\n\ncreate table if not exists c (n UInt8) engine = Null;\n`,
  'included/copies.sql': 'create table if not exists copies\n{include columns.sql}\nengine = Null;\n\n',
  'included/columns.sql': '(n UInt8)\n\n',
  'readme.txt': 'no migration;',
};
const TABLES = [
  '-- What is stored; and why. create table if not exists a (n UInt8) engine = MergeTree order by n',
  'create table if not exists copies (n UInt8) engine = Null',
  'create table if not exists c (n UInt8) engine = Null',
];
const VIEWS = ["create view if not exists b as select ';' from a"];

describe('the migrations of ClickHouse', () => {
  let directory: string;
  /** Names that the server lists as applied. */
  let applied: string[];
  let numbers: Answer;
  /** What the server cannot execute. */
  let broken: string | undefined;

  const clickhouse = recordedClickHouse(({ sql, rows }) => {
    if (sql === broken) return 'SYNTAX_ERROR';
    if (sql.startsWith('INSERT INTO migrations')) applied.push(...namesIn(rows));
    if (sql.startsWith('INSERT INTO shard_numbers'))
      numbers = [JSON.parse(rows) as { shard: number; shards: number }];
    if (sql.startsWith('select name from migrations')) return applied.map((name) => ({ name }));
    return sql.startsWith('select shard') ? numbers : [];
  });
  beforeEach(async () => {
    [applied, numbers, broken] = [[], [], undefined];
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-migrations-'));
    for (const folder of ['included', 'all-shards']) await mkdir(path.join(directory, folder));
    for (const [name, sql] of Object.entries(FILES)) await writeFile(path.join(directory, name), sql);
  });
  afterEach(() => rm(directory, { recursive: true }));

  const { log, lines } = collectLog();

  type Options = Partial<Parameters<typeof migrateClickHouse>[2]>;

  function migrate(options: Options = {}, run = migrateClickHouse): Promise<void> {
    return run(clickhouse.db, clickhouse.db, {
      database: 'flagmeter',
      enginePrefix: '',
      cluster: '',
      host: 'a:8123',
      directory,
      log,
      ...options,
    });
  }

  /** The statements since the last call, without those that only look. */
  function executed(): string[] {
    return clickhouse.statements
      .splice(0)
      .map(({ sql }) => sql)
      .filter((sql) => !sql.startsWith('select '));
  }

  it('create the database, claim the shard, and run in the order of their names', async () => {
    await migrate();
    const [database, shardNumbers, claim, migrations, ...statements] = executed();
    expect(database).to.equal('create database if not exists `flagmeter`');
    expect(shardNumbers).to.match(/^create table if not exists shard_numbers \(/);
    expect(claim).to.match(/^INSERT INTO shard_numbers/);
    expect(numbers).to.deep.equal([{ shard: 0, shards: 1 }]);
    expect(migrations).to.match(/^create table if not exists migrations \( name String .*engine = MergeTree/);
    expect(statements).to.deep.equal([...TABLES, ...VIEWS, 'INSERT INTO migrations FORMAT JSONEachRow']);
    expect(applied).to.deep.equal(['001-tables.sql', '002-views.sql']);
    expect(lines().map(({ migration, msg }) => [migration, msg])).to.deep.equal(
      applied.map((name) => [name, 'clickhouse migration applied']),
    );
  });

  it('run once', async () => {
    applied = ['001-tables.sql'];
    await migrate();
    expect(executed().slice(-2)).to.deep.equal([...VIEWS, 'INSERT INTO migrations FORMAT JSONEachRow']);
    expect(applied).to.deep.equal(['001-tables.sql', '002-views.sql']);
    await migrate();
    expect(executed().filter((sql) => !sql.startsWith('create database'))).to.satisfy(
      (statements: string[]) =>
        statements.every((sql) => /^create table if not exists (?:shard_numbers|migrations)/.test(sql)),
    );
  });

  it('are all repeated after a failure', async () => {
    [broken] = VIEWS;
    expect(await migrate().catch((error: unknown) => error)).to.include({ type: 'SYNTAX_ERROR' });
    expect(applied).to.deep.equal([]);
    executed();

    broken = undefined;
    await migrate();
    expect(executed()).to.include.members([...TABLES, ...VIEWS]);
    expect(applied).to.deep.equal(['001-tables.sql', '002-views.sql']);
  });

  it('run on the whole cluster, if there is one', async () => {
    await migrate({ cluster: 'main', enginePrefix: 'Replicated' });
    const statements = executed();
    expect(statements[0]).to.equal('create database if not exists `flagmeter` on cluster `main`');
    expect(statements.join('\n')).to.include('a on cluster `main` (n UInt8) engine = ReplicatedMergeTree(');
  });

  it('claim the shard that the server belongs to, and run on no server of another one', async () => {
    await migrate({ shard: { number: 1, of: 3 } });
    expect(numbers).to.deep.equal([{ shard: 1, shards: 3 }]);
    executed();
    expect(await migrate({ shard: { number: 2, of: 3 } }).catch((error: unknown) => error)).to.include({
      code: 'shards',
    });
    expect(executed()).to.have.length(2);
  });

  it('leave out what is read or computed again and again, where nobody reads', async () => {
    const kept = [
      'create materialized view if not exists f to a as select 1',
      'create view if not exists retention as select 1',
    ];
    const leftOut = [
      'create view if not exists other as select 1',
      'create view if not exists retention_of_more as select 1',
      'create materialized view if not exists again\nrefresh after 1 minute\nas select 1',
    ];
    await writeFile(path.join(directory, '003-more.sql'), [...kept, ...leftOut, ''].join(';\n'));
    await migrate({}, migrateScratch);
    expect(executed().slice(4, -1)).to.deep.equal([...TABLES, ...kept]);
    expect(applied).to.have.length(3);
  });

  it('create what reads all shards, with the text that only it has', async () => {
    await writeFile(path.join(directory, 'all-shards/b.sql'), 'create view if not exists b as select 2');
    await migrate({ cluster: 'main' }, migrateAllShards);
    const [database, ...statements] = executed();
    expect(database).to.equal('create database if not exists `flagmeter`');
    expect(statements.filter((sql) => !sql.includes('exists migrations'))).to.deep.equal([
      "create table if not exists shard_numbers as `flagmeter_shard`.shard_numbers engine = Distributed('main', 'flagmeter_shard', 'shard_numbers')",
      "create table if not exists retention_of_shards as `flagmeter_shard`.retention engine = Distributed('main', 'flagmeter_shard', 'retention')",
      "create table if not exists a as `flagmeter_shard`.a engine = Distributed('main', 'flagmeter_shard', 'a')",
      ...TABLES.slice(1),
      'create view if not exists b as select 2',
      'INSERT INTO migrations FORMAT JSONEachRow',
    ]);
  });
});

function namesIn(rows: string): string[] {
  return rows
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => (JSON.parse(row) as { name: string }).name);
}
