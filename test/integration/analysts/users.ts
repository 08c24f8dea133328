import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ClickHouse, asReader, openClickHouse, readRows, runStatement } from '#core/clickhouse';
import { appVerdictsAt, featureVerdictsAt } from '../../support/builders/history.ts';
import { rejectionOf } from '../../support/stack/engines/clickhouse/rejection-of.ts';
import { viewsWithParameters } from '../../support/documents/views.ts';
import type { World } from '../../support/world.ts';

/** Of a world whose database is `flagmeter`, which the grants of the local engine name. */
export function testUsers(given: () => { readonly world: World; readonly analyst: ClickHouse }): void {
  let world: World;
  let analyst: ClickHouse;
  let reader: ClickHouse;

  before(() => {
    ({ world, analyst } = given());
    reader = openClickHouse(asReader(world.config.clickhouse));
  });
  after(() => reader.close());

  describe('the role analyst', () => {
    it('reads every view', async () => {
      const views = await world.query<{ name: string }>(
        `select name from system.tables where database = 'flagmeter' and engine = 'View' and name not in {withParameters:Array(String)}`,
        { withParameters: await viewsWithParameters() },
      );
      const calls = [
        ...views.map(({ name }) => name),
        `feature_usage(feature = 'a', environment = 'b')`,
        `feature_variants(feature = 'a', environment = 'b')`,
        `app_usage(app = 'a', environment = 'b')`,
        `harmful_by_evidence(features = ['a'], tokens = ['b'])`,
        featureVerdictsAt(0),
        appVerdictsAt(0),
      ];

      for (const call of calls) await readRows(analyst, `select count() from ${call}`);
    });

    it('cannot read tables, other databases or the queries of others', async () => {
      const tables = await world.query<{ name: string }>(
        `select name from system.tables where database = 'flagmeter' and engine != 'View'`,
      );

      expect(tables.length).to.be.greaterThan(10);
      for (const { name } of tables)
        expect(await rejectionOf(analyst, `select count() from \`${name}\``), name).to.equal('497');
      for (const name of ['system.processes', 'system.parts', 'system.users']) {
        expect(await rejectionOf(analyst, `select count() from ${name}`), name).to.equal('497');
      }
      expect(await readRows(analyst, 'show databases')).to.deep.equal([{ name: 'flagmeter' }]);
      expect(
        await rejectionOf(analyst, `select * from url('http://127.0.0.1:1/', 'CSV', 'a String')`),
      ).to.equal('497');
      expect(await rejectionOf(analyst, `select * from file('/etc/passwd', 'LineAsString')`)).to.equal('497');
    });

    it('cannot write', async () => {
      for (const statement of [
        `insert into usage_hourly (feature_name) values ('x')`,
        `insert into usage_by_hour (feature_name) values ('x')`,
        'create table mine (x UInt8) engine = Memory',
        'create view mine as select 1',
        'drop view usage_by_hour',
        'truncate table usage_hourly',
        'alter table usage_hourly delete where 1',
        'system stop merges usage_hourly',
      ]) {
        expect(await rejectionOf(analyst, statement), statement).to.be.oneOf(['164', '497']);
      }
    });

    it('may set a longer time limit of up to five minutes, and raise no other limit', async () => {
      expect(await readRows(analyst, 'select 1 as x settings max_execution_time = 300')).to.deep.equal([
        { x: 1 },
      ]);
      expect(await rejectionOf(analyst, 'select 1 settings max_execution_time = 301')).to.equal('452');
      for (const setting of [
        'max_memory_usage',
        'max_rows_to_read',
        'max_result_rows',
        'max_result_bytes',
        'max_temporary_data_on_disk_size_for_query',
        'max_memory_usage_for_user',
        'max_concurrent_queries_for_user',
        'max_temporary_data_on_disk_size_for_user',
      ]) {
        expect(await rejectionOf(analyst, `select 1 settings ${setting} = 0`), setting).to.equal('452');
      }
      expect(await rejectionOf(analyst, 'select 1 settings max_execution_time = 0')).to.equal('452');
      expect(await rejectionOf(analyst, 'select 1 settings readonly = 0')).to.equal('164');
      expect(await rejectionOf(analyst, 'select count() from numbers(3000000000)')).to.equal('158');
    });

    it('has SQL statements that work on a server with users in SQL', async () => {
      for (const file of ['analyst.sql', 'analyst-of-one-project.sql', 'reader.sql']) {
        const sql = readFileSync(`infra/clickhouse/${file}`, 'utf8').replace(/^--.*$/gm, '');
        const statements = sql.split(';').filter((statement) => statement.trim() !== '');

        expect(statements.length, file).to.be.greaterThan(1);
        for (const statement of statements) await runStatement(world.clickhouse, `explain ast ${statement}`);
      }
    });
  });

  describe('the user for queries on behalf of people', () => {
    it('reads tables and views, also those that ClickHouse computes', async () => {
      for (const name of ['usage_daily', 'usage_by_day', 'feature_verdicts', 'experiment_results'])
        expect(await rejectionOf(reader, `select count() from ${name}`), name).to.equal(undefined);
    });

    it('sees no inner table, and cannot read one', async () => {
      const inner = await namesOf(world.clickhouse, 'database = currentDatabase()');
      expect(inner.length).to.be.greaterThan(1);
      for (const name of inner)
        expect(await rejectionOf(reader, `select count() from \`${name}\``), name).to.equal('497');
      expect(await namesOf(reader, '1')).to.deep.equal([]);
    });

    it('cannot read users, grants or the queries of others, nor other tables of the server', async () => {
      const guarded = ['users', 'roles', 'grants', 'settings_profile_elements', 'quotas', 'row_policies'];
      for (const name of [...guarded, 'processes', 'parts', 'view_refreshes', 'disks', 'clusters'])
        expect(await rejectionOf(reader, `select count() from system.${name}`), name).to.equal('497');
    });

    it('may read for a minute, or for five if it asks for them', async () => {
      expect(await readRows(reader, `select getSetting('max_execution_time') as seconds`)).to.deep.equal([
        { seconds: 60 },
      ]);
      expect(await rejectionOf(reader, 'select 1 settings max_execution_time = 300')).to.equal(undefined);
      for (const seconds of [0, 301])
        expect(await rejectionOf(reader, `select 1 settings max_execution_time = ${seconds}`)).to.equal(
          '452',
        );
    });

    it('has the same rights and time on a server with users in SQL', () => {
      const sql = readFileSync('infra/clickhouse/reader.sql', 'utf8');
      const xml = readFileSync('infra/clickhouse/users.xml', 'utf8');
      const local = [...xml.matchAll(/<query>(revoke [^<]*)<\/query>/g)].map(([, text = '']) => text);
      const revoked = local.filter((text) => text.includes('flagmeter'));
      expect(revoked).to.have.length.above(1);
      for (const text of revoked) expect(sql).to.include(`${text} from flagmeter_reader;`);
      expect(sql).to.include('max_execution_time = 60 min 1 max 300');
    });

    async function namesOf(db: ClickHouse, condition: string): Promise<string[]> {
      const rows = await readRows<{ name: string }>(
        db,
        `select name from system.tables where name like '.inner%' and ${condition}`,
      );
      return rows.map(({ name }) => name);
    }
  });
}
