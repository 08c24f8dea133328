import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ClickHouse, asReader, openClickHouse, readRows } from '#clickhouse';
import { type OwnClickHouse, ownClickHouse } from '../../support/engines/own-engines.ts';
import { rejectionOf } from '../../support/engines/rejection-of.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('the user for queries on behalf of people', () => {
  let engine: OwnClickHouse;
  let world: World;
  let reader: ClickHouse;

  before(async () => {
    engine = await ownClickHouse();
    // The grants of the local engine name the default database.
    world = await createWorld({ ...engine.access, CLICKHOUSE_DATABASE: 'flagmeter' });
    reader = openClickHouse(asReader(world.config.clickhouse));
  });

  after(async () => {
    await reader.close();
    await world.dispose();
    await engine.dispose();
  });

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
      expect(await rejectionOf(reader, `select 1 settings max_execution_time = ${seconds}`)).to.equal('452');
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
