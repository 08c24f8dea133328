import { expect } from 'chai';
import { createBlocks, openClickHouse } from '#clickhouse';
import type { Block, CountedBlock } from '#counting';
import { impactOfEveryType } from '../../support/builders/builders.ts';
import { aBlock, aDeadBlock, readFilledTables } from '../../support/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { type World, createWorld } from '../../support/world.ts';

const WINDOW_MS = 45_000;
const KEY = { topic: 'counts', epoch: 1, partition: 0 };
const LARGEST = Number.MAX_SAFE_INTEGER;

describe('blocks in ClickHouse', () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.dispose());

  describe('insert', () => {
    const everyKind = [
      aFreshMetric({ featureName: 'kept', yes: 2, no: 3, variants: { blue: 2 } }),
      aFreshMetric({ featureName: 'x'.repeat(300), yes: 5 }),
      aFreshMetric({ featureName: 'zero' }),
    ];

    it('changes no table when the same range is inserted again', async () => {
      const block = aBlock({
        metrics: everyKind,
        impactMetrics: impactOfEveryType(),
        reasons: [{ reason: 'static' }],
        points: [{ value: 5 }],
      });
      await createBlocks(world.clickhouse).insert(block);
      const stored = await readFilledTables(world);
      await createBlocks(world.clickhouse).insert(block);
      const other = openClickHouse(world.config.clickhouse);
      await createBlocks(other).insert(block);
      await other.close();

      expect(await readFilledTables(world)).to.deep.equal(stored);
      expect(Object.entries(stored).filter(([, rows]) => rows.length === 0)).to.deep.equal([]);
    });

    it('stores a range once if two workers insert it at the same time', async () => {
      const block = aBlock({ metrics: everyKind });
      const blocks = createBlocks(world.clickhouse);
      await Promise.allSettled(Array.from({ length: 8 }, () => blocks.insert(block)));
      await blocks.insert(block);

      expect(
        await world.query('select yes, no, reports from usage_by_hour order by feature_name'),
      ).to.deep.equal([
        { yes: '2', no: '3', reports: '1' },
        { yes: '0', no: '0', reports: '1' },
      ]);
      expect(await world.query('select count() as blocks from blocks')).to.deep.equal([{ blocks: '1' }]);
      expect(await world.query('select count from variants_by_day')).to.deep.equal([{ count: '2' }]);
    });

    it('adds the next range to the stored ones', async () => {
      const blocks = createBlocks(world.clickhouse);
      await blocks.insert(aBlock({ metrics: everyKind }));
      await blocks.insert(aBlock({ metrics: everyKind, from: 1n, batchId: 'second' }));

      const kept = await world.query("select yes, no from usage_by_day where feature_name = 'kept'");
      expect(kept).to.deep.equal([{ yes: '4', no: '6' }]);
    });

    it('stores a block once if it is sent in many chunks, and adds up its hours to days', async () => {
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
      const hours = [`${yesterday}T10:30:00Z`, `${yesterday}T11:30:00Z`];
      const metrics = Array.from({ length: 2000 }, (_, n) => `${n}-${'x'.repeat(100)}`).flatMap(
        (featureName) =>
          hours.map((timestamp) =>
            aFreshMetric({ featureName, timestamp, yes: 2, no: 1, variants: { blue: 1 } }),
          ),
      );
      const blocks = createBlocks(world.clickhouse);
      await blocks.insert(aBlock({ metrics }));
      await blocks.insert(aBlock({ metrics }));

      const sums = 'count() as rows, sum(u.yes) as yes, sum(u.no) as no, sum(u.reports) as reports';
      const total = { yes: '8000', no: '4000', reports: '4000' };
      const byHour = await world.query(`select ${sums} from usage_by_hour as u`);
      expect(byHour).to.deep.equal([{ rows: '4000', ...total }]);
      const byDay = await world.query(`select ${sums} from usage_by_day as u`);
      expect(byDay).to.deep.equal([{ rows: '2000', ...total }]);
      const variants = await world.query(
        'select count() as rows, sum(v.count) as count from variants_by_day as v',
      );
      expect(variants).to.deep.equal([{ rows: '2000', count: '4000' }]);
    });

    it('keeps hostile names unchanged', async () => {
      const names = [
        `quo"te`,
        `back\\slash`,
        `it's`,
        `\\N`,
        'null',
        '["count"]',
        'x\u2028y\u2029z',
        '🧺👩‍👩‍👧',
        '<script>alert(1)</script>',
        '{name:String}',
        '\u00a0 padded ',
        `'; drop table blocks; --`,
        '__proto__',
      ];
      const metrics = names.map((name) =>
        aFreshMetric({ featureName: name, appName: name, yes: 1, variants: { [name]: 1 } }),
      );
      await createBlocks(world.clickhouse).insert(aBlock({ metrics, batchId: `id-${names[0] ?? ''}` }));

      const rows = await world.query(
        'select distinct feature_name, app_name, variant from variants_by_hour order by feature_name',
      );
      const expected = names
        .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map((name) => ({ feature_name: name, app_name: name, variant: name }));
      expect(rows).to.deep.equal(expected);
    });

    it('adds up the largest counts exactly', async () => {
      const metrics = Array.from({ length: 5 }, () =>
        aFreshMetric({ yes: LARGEST, no: LARGEST, variants: { blue: LARGEST } }),
      );
      await createBlocks(world.clickhouse).insert(aBlock({ metrics }));

      const sum = (5n * BigInt(LARGEST)).toString();
      for (const unit of ['hour', 'day']) {
        const usage = await world.query(`select yes, no, reports from usage_by_${unit}`);
        expect(usage).to.deep.equal([{ yes: sum, no: sum, reports: '5' }]);
        expect(await world.query(`select count from variants_by_${unit}`)).to.deep.equal([{ count: sum }]);
      }
      const { days } = await world.accounting();
      expect(days.map(({ stored }) => stored)).to.deep.equal(days.map(({ expected }) => expected));
    });
  });

  describe('readHistory', () => {
    it('returns the end of the last block, and only batches and dead letters of blocks before the offset', async () => {
      const blocks = createBlocks(world.clickhouse);
      const first = aBlock({ metrics: [aFreshMetric({ yes: 1 })], batchId: 'first' });
      await blocks.insert(first);
      await blocks.insert(aDeadBlock(1n));
      await blocks.insert(aBlock({ metrics: [aFreshMetric({ yes: 1 })], batchId: 'third', from: 2n }));
      const history = await blocks.readHistory(KEY, 2n, WINDOW_MS);

      expect(history.storedTo).to.equal(3n);
      expect(history.countedBlocks.flatMap(({ batches }) => batches)).to.deep.equal(first.batches);
      expect(history.deadBlocks.map(({ to, dead }) => ({ to, dead }))).to.deep.equal([{ to: 2n, dead: 1 }]);
    });

    it('returns the batches of blocks that are young enough, whatever their receipts', async () => {
      const seconds = Array.from({ length: 30 }, (_, index) => index * 5);
      const stored = seconds.map((second, index) =>
        aNumberedBlock(index, {
          appendedAt: Date.now() + second * 1000,
          receivedAt: Date.now() - second * 1000,
        }),
      );
      const blocks = createBlocks(world.clickhouse);
      await blocks.insertAll(stored);
      const { countedBlocks } = await blocks.readHistory(KEY, 30n, WINDOW_MS);

      // Two minutes are 24 steps of five seconds.
      expect(countedBlocks).to.deep.equal(stored.slice(-25).map(countedBlockOf));
    });

    it('returns any number of blocks', async () => {
      const appendedAt = Date.now();
      const stored = Array.from({ length: 1100 }, (_, index) => aNumberedBlock(index, { appendedAt }));
      const blocks = createBlocks(world.clickhouse);
      await blocks.insertAll(stored);

      const { countedBlocks } = await blocks.readHistory(KEY, 1099n, WINDOW_MS);
      expect(countedBlocks).to.deep.equal(stored.slice(0, 1099).map(countedBlockOf));
    });

    it('returns nothing of another partition or an earlier epoch', async () => {
      const blocks = createBlocks(world.clickhouse);
      await blocks.insert(aBlock({ metrics: [aFreshMetric({ yes: 1 })] }));
      const nothing = { storedTo: 0n, countedBlocks: [], deadBlocks: [], series: [] };

      for (const key of [
        { topic: 'counts', epoch: 1, partition: 1 },
        { topic: 'counts', epoch: 2, partition: 0 },
      ]) {
        expect(await blocks.readHistory(key, 9n, WINDOW_MS)).to.deep.equal(nothing);
      }
    });
  });
});

function aNumberedBlock(from: number, times: { appendedAt: number; receivedAt?: number }): Block {
  return aBlock({
    metrics: [aFreshMetric({ yes: 1 })],
    batchId: `batch-${from}`,
    from: BigInt(from),
    ...times,
  });
}

function countedBlockOf({ batches, appendedTo }: Block): CountedBlock {
  return { messages: 1, appendedTo, batches };
}
