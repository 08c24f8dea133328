import { expect } from 'chai';
import { syncEvents } from '#fleet/catalogue';
import { runStatement } from '#core/clickhouse';
import { HISTORY_TOPIC } from '#core/counting';
import { type Finding, examine } from '#tooling/operations';
import { sharedWorld } from '../../../support/world.ts';

describe('flagmeter doctor, the copies', () => {
  const world = sharedWorld();

  it('finds that Postgres has lost what ClickHouse copied and counted', async () => {
    await world.db.query(`insert into events (type, created_by) values ('feature-created', 'ana')`);
    await syncEvents(world.db, world.clickhouse);
    expect(await copies()).to.include({ state: 'ok' });
    await world.db.query('delete from events');
    await runStatement(
      world.clickhouse,
      `insert into blocks (topic, epoch, partition, from_offset, to_offset) values ('${HISTORY_TOPIC}', 1, 3, 0, 8)`,
    );
    const found = await copies();
    await runStatement(world.clickhouse, `alter table blocks delete where topic = '${HISTORY_TOPIC}'`, {
      mutations_sync: '2',
    });
    await syncEvents(world.db, world.clickhouse);

    expect(found?.state).to.equal('warn');
    expect(found?.text).to.include("1 row of the events, import 3 of Unleash's history");
    expect(found?.advice).to.include('flagmeter import-unleash --yes');
    expect(await copies()).to.include({ state: 'ok' });
  });

  async function copies(): Promise<Finding | undefined> {
    return (await examine(world.config, world.log)).find(({ check }) => check === 'copies');
  }
});
