import { expect } from 'chai';
import { type Blocks, COUNT_TABLES, createBlocks, runStatement } from '#core/clickhouse';
import type { Block } from '#core/counting';
import { aBlock, readFilledTables } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aCounter, aHistogram } from '../../../support/builders/builders.ts';
import { isNight, itByTurns } from '../../../support/nightly.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';
import { sharedWorld } from '../../../support/world.ts';

const COUNTS = COUNT_TABLES.map(({ table }) => table);
const TABLES = [...COUNTS, 'blocks'];
const HOUR_MS = 3_600_000;
/** One moment for all blocks, because two blocks are equal only if they are received at the same time. */
const NOW = new Date();

/** The tables that a block fills, and the column that identifies its rows. */
const LOSSES = [
  ...COUNTS.map((table) => ({ table, column: 'app_name' })),
  { table: 'blocks', column: 'partition' },
  { table: 'feature_app_seen_states', column: 'app_name' },
  { table: 'gauges_hourly', column: 'app_name' },
  { table: 'impact_metric_states', column: 'app_name' },
];
/** By day each of these blocks loses rows of several tables, at night of one. */
const LOSING_BLOCKS = isNight() ? LOSSES.length : 3;

const itInTurn = itByTurns(4);

describe('completing a block with an unknown outcome', () => {
  const world = sharedWorld();
  let blocks: Blocks;
  let block: Block;
  let whole: Record<string, unknown[]>;

  before(async () => {
    blocks = createBlocks(world.clickhouse);
    // The blocks arrived up to a month ago.
    await runStatement(world.clickhouse, 'alter table usage_minutely modify ttl minute + interval 90 day');
    await blocks.insert(acrossTwoMonths(0n));
    block = acrossTwoMonths(1n);
    await blocks.insert(block);
  });
  beforeEach(async () => {
    whole = await readFilledTables(world);
  });

  it('changes nothing if the block is stored, merged or not', async () => {
    await blocks.complete(block);
    expect(await readFilledTables(world)).to.deep.equal(whole);

    for (const table of TABLES) await runStatement(world.clickhouse, `optimize table ${table} final`);
    await blocks.complete(block);
    expect(await readFilledTables(world)).to.deep.equal(whole);
  });

  it('stores a block that never arrived, as an INSERT does', async () => {
    const next = acrossTwoMonths(0n, { partition: 90, name: 'next' });
    await blocks.complete(next);
    const completed = await readFilledTables(world);
    await blocks.insert(next);

    expect(await readFilledTables(world)).to.deep.equal(completed);
    expect(completed['usage_daily']).to.not.deep.equal(whole['usage_daily']);
  });

  it('restores the rows that a table has lost while it kept the token, in every table', async () => {
    const others = Array.from({ length: LOSING_BLOCKS }, (_, index) =>
      acrossTwoMonths(0n, { partition: index + 1, name: `other-${index + 1}` }),
    );
    const lost = LOSSES.map(({ table, column }, index) => {
      const partition = (index % others.length) + 1;
      return {
        table,
        rows: `toString(${column}) in ('other-${partition}', 'counts:1:${partition}', '${partition}')`,
      };
    });
    for (const other of others) await blocks.insert(other);
    const all = await readFilledTables(world);
    // Together, because a mutation waits for seconds until ClickHouse begins it.
    await Promise.all(lost.map(({ table, rows }) => loseRows(table, rows)));
    const damaged = await readFilledTables(world);
    for (const other of others) await blocks.insert(other);
    expect(await readFilledTables(world)).to.deep.equal(damaged);
    for (const { table } of lost) expect(damaged[table], table).to.not.deep.equal(all[table]);

    for (const other of others) await blocks.complete(other);
    expect(await readFilledTables(world)).to.deep.equal(all);
  });

  itInTurn(
    'keeps the evidence of a month whole or not at all, whichever table has lost its rows of the block',
    async () => {
      const of = (name: string) => `app_name in ('${name}', 'counts:1:60', 'counts:1:61')`;
      for (const [index, table] of ['usage_hourly', 'impact_hourly'].entries()) {
        const name = `half-${index}`;
        const other = acrossTwoMonths(0n, { partition: 60 + index, name });
        await blocks.insert(other);
        const evidence = () =>
          world.query<{ month: number; metric_name: string }>(
            `select toYYYYMM(hour) as month, metric_name, arm, sum(exposures) as exposures, sum(observations) as observations,
             sum(total) as total
           from evidence_hourly where app_name = '${name}' group by all order by all`,
          );
        const all = await evidence();
        const ofMonth = (rows: typeof all, wanted: number) => rows.filter(({ month }) => month === wanted);
        const months = [...new Set(all.map(({ month }) => month))];
        const kinds = months.map(
          (month) => new Set(ofMonth(all, month).map(({ metric_name: metric }) => metric === '')).size,
        );
        expect(kinds, 'evaluations alone, and samples beside evaluations').to.have.members([1, 2]);
        await loseRows(table, of(name));
        await blocks.complete(other);
        expect(await evidence(), `kept, without ${table}`).to.deep.equal(all);

        await loseRows('evidence_hourly', `app_name = '${name}'`);
        await runStatement(
          world.clickhouse,
          'alter table evidence_hourly modify setting non_replicated_deduplication_window = 0',
        );
        await loseRows(table, of(name));
        await blocks.complete(other);
        const found = await evidence();
        for (const month of months)
          expect(ofMonth(found, month), `${month}, lost, without ${table}`).to.be.deep.oneOf([
            [],
            ofMonth(all, month),
          ]);
        await forgetTokens('evidence_hourly');
      }
    },
  );

  itInTurn('restores rows that are lost repeatedly while all tokens of the block are kept', async () => {
    const other = acrossTwoMonths(0n, { partition: 80, name: 'unlucky' });
    await blocks.insert(other);
    const all = await readFilledTables(world);
    for (let time = 0; time < 2; time += 1) {
      await loseRows('usage_daily', "app_name in ('unlucky', 'counts:1:80')");
      await blocks.complete(other);

      expect(await readFilledTables(world)).to.deep.equal(all);
    }
  });

  itInTurn('counts a block once if several workers complete it at the same time', async () => {
    const other = acrossTwoMonths(0n, { partition: 81, name: 'crowded' });
    await blocks.insert(other);
    const all = await readFilledTables(world);
    await loseRows('usage_daily', "app_name in ('crowded', 'counts:1:81')");
    await loseRows('blocks', 'partition = 81');
    await Promise.all(Array.from({ length: 3 }, () => blocks.complete(other)));

    expect(await readFilledTables(world)).to.deep.equal(all);
  });

  itInTurn(
    'adds nothing to a table that holds the block and has lost the token, in every table',
    async () => {
      for (const table of TABLES) await forgetTokens(table);
      await blocks.complete(block);

      expect(await readFilledTables(world)).to.deep.equal(whole);
    },
  );

  itInTurn(
    'adds nothing to a table that has lost the token of a block that others follow, in every table',
    async () => {
      const followed = acrossTwoMonths(0n, { partition: 70, name: 'followed' });
      for (const stored of [followed, acrossTwoMonths(1n, { partition: 70, name: 'later' })])
        await blocks.insert(stored);
      const all = await readFilledTables(world);
      for (const table of TABLES) await forgetTokens(table);
      await blocks.complete(followed);

      expect(await readFilledTables(world)).to.deep.equal(all);
    },
  );

  itInTurn('is necessary: a mere repeat of the INSERT counts twice without the token', async () => {
    await forgetTokens('usage_daily');
    await blocks.insert(block);

    expect((await readFilledTables(world))['usage_daily']).to.not.deep.equal(whole['usage_daily']);
  });

  /** Deletes rows but keeps tokens, as when the server was killed between the two. */
  async function loseRows(table: string, where: string): Promise<void> {
    // ClickHouse removes an empty part some time later, and its token with it.
    await runStatement(world.clickhouse, `alter table ${table} modify setting remove_empty_parts = 0`);
    await runStatement(world.clickhouse, `alter table ${table} delete where ${where}`, {
      mutations_sync: '2',
    });
  }

  async function forgetTokens(table: string): Promise<void> {
    for (const places of [0, 20_000])
      await runStatement(
        world.clickhouse,
        `alter table ${table} modify setting non_replicated_deduplication_window = ${places}`,
      );
  }
});

/**
 * A block received on the first or second day of this month. It has metrics of this month and of the one before, and
 * one that is refused.
 */
function acrossTwoMonths(from: bigint, { partition = 0, name = 'checkout' } = {}): Block {
  const month = Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth());
  const names = { featureName: name, appName: name };
  const before = { ...names, timestamp: new Date(month - HOUR_MS).toISOString() };
  const after = { ...names, timestamp: new Date(month + HOUR_MS).toISOString() };
  const metrics = [
    aFreshMetric({ ...before, yes: 2, no: 3, variants: { blue: 2 } }),
    aFreshMetric({ ...after, yes: 5, variants: { blue: 1 } }),
    aFreshMetric({ ...after, featureName: 'x'.repeat(300), yes: 5 }),
  ];
  const receivedAt = Math.min(month + 24 * HOUR_MS, NOW.getTime());
  const labels = { [name]: 'blue', appName: name };
  const samples = [
    { value: 2.5, labels },
    { value: 4, labels },
  ];
  const impactMetrics = [
    aCounter({ samples }),
    aCounter({ name: 'load', type: 'gauge', samples }),
    aHistogram({ samples: [{ count: 1, sum: 0.5, buckets: [{ le: 1, count: 1 }], labels }] }),
  ];
  const reasons = [{ reason: 'static' }, { reason: 'error', errorType: 'general' }];
  const batchId = `${name} ${from}`;
  const message = { batchId, receivedAt, appendedAt: receivedAt, isTrusted: true };
  return aBlock({ metrics, impactMetrics, reasons, from, partition, ...message });
}
