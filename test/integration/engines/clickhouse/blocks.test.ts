import { expect } from 'chai';
import { createBlocks, openClickHouse } from '#core/clickhouse';
import type { Block, CountedBlock } from '#core/counting';
import { impactOfEveryType } from '../../../support/builders/builders.ts';
import {
  aBlock,
  aDeadBlock,
  readFilledTables,
} from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';
import { sharedWorld } from '../../../support/world.ts';

const WINDOW_MS = 45_000;
const LARGEST = Number.MAX_SAFE_INTEGER;

describe('blocks in ClickHouse', () => {
  const world = sharedWorld();
  /** Of one test, like the application of its name. */
  let partition = 0;
  let appName: string;

  beforeEach(() => {
    partition += 1;
    appName = `app-${partition}`;
  });

  describe('insert', () => {
    const everyKind = () => [
      aFreshMetric({ appName, featureName: 'kept', yes: 2, no: 3, variants: { blue: 2 } }),
      aFreshMetric({ appName, featureName: 'x'.repeat(300), yes: 5 }),
      aFreshMetric({ appName, featureName: 'zero' }),
    ];

    it('changes no table when the same range is inserted again', async () => {
      const block = aBlock({
        partition,
        metrics: everyKind(),
        impactMetrics: impactOfEveryType(),
        reasons: [{ reason: 'static' }],
        points: [{ value: 5 }],
        isTrusted: true,
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
      const block = aBlock({ partition, metrics: everyKind() });
      const blocks = createBlocks(world.clickhouse);
      await Promise.allSettled(Array.from({ length: 8 }, () => blocks.insert(block)));
      await blocks.insert(block);

      const usage = `select yes, no, reports from usage_by_hour where app_name = '${appName}' order by feature_name`;
      expect(await world.query(usage)).to.deep.equal([
        { yes: '2', no: '3', reports: '1' },
        { yes: '0', no: '0', reports: '1' },
      ]);
      const stored = `select count() as blocks from blocks where partition = ${partition}`;
      expect(await world.query(stored)).to.deep.equal([{ blocks: '1' }]);
      const variants = `select count from variants_by_day where app_name = '${appName}'`;
      expect(await world.query(variants)).to.deep.equal([{ count: '2' }]);
    });

    it('adds the next range to the stored ones', async () => {
      const blocks = createBlocks(world.clickhouse);
      await blocks.insert(aBlock({ partition, metrics: everyKind() }));
      await blocks.insert(aBlock({ partition, metrics: everyKind(), from: 1n, batchId: 'second' }));

      const kept = await world.query(
        `select yes, no from usage_by_day where feature_name = 'kept' and app_name = '${appName}'`,
      );
      expect(kept).to.deep.equal([{ yes: '4', no: '6' }]);
    });

    it('stores a block once if it is sent in many chunks, and adds up its hours to days', async () => {
      const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
      const hours = [`${yesterday}T10:30:00Z`, `${yesterday}T11:30:00Z`];
      const metrics = Array.from({ length: 2000 }, (_, n) => `${n}-${'x'.repeat(100)}`).flatMap(
        (featureName) =>
          hours.map((timestamp) =>
            aFreshMetric({ appName, featureName, timestamp, yes: 2, no: 1, variants: { blue: 1 } }),
          ),
      );
      const blocks = createBlocks(world.clickhouse);
      await blocks.insert(aBlock({ partition, metrics }));
      await blocks.insert(aBlock({ partition, metrics }));

      const sums = 'count() as rows, sum(u.yes) as yes, sum(u.no) as no, sum(u.reports) as reports';
      const total = { yes: '8000', no: '4000', reports: '4000' };
      const ofTheApp = `where app_name = '${appName}'`;
      const byHour = await world.query(`select ${sums} from usage_by_hour as u ${ofTheApp}`);
      expect(byHour).to.deep.equal([{ rows: '4000', ...total }]);
      const byDay = await world.query(`select ${sums} from usage_by_day as u ${ofTheApp}`);
      expect(byDay).to.deep.equal([{ rows: '2000', ...total }]);
      const variants = await world.query(
        `select count() as rows, sum(v.count) as count from variants_by_day as v ${ofTheApp}`,
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
      const batchId = `id-${names[0] ?? ''}`;
      await createBlocks(world.clickhouse).insert(aBlock({ partition, metrics, batchId }));

      const rows = await world.query(
        `select distinct feature_name, app_name, variant
         from variants_by_hour
         where feature_name = app_name
         order by feature_name`,
      );
      const expected = names
        .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map((name) => ({ feature_name: name, app_name: name, variant: name }));
      expect(rows).to.deep.equal(expected);
    });

    it('adds up the largest counts exactly', async () => {
      const metrics = Array.from({ length: 5 }, () =>
        aFreshMetric({ appName, yes: LARGEST, no: LARGEST, variants: { blue: LARGEST } }),
      );
      await createBlocks(world.clickhouse).insert(aBlock({ partition, metrics }));

      const sum = (5n * BigInt(LARGEST)).toString();
      for (const unit of ['hour', 'day']) {
        const from = (view: string) => `from ${view}_by_${unit} where app_name = '${appName}'`;
        const usage = await world.query(`select yes, no, reports ${from('usage')}`);
        expect(usage).to.deep.equal([{ yes: sum, no: sum, reports: '5' }]);
        expect(await world.query(`select count ${from('variants')}`)).to.deep.equal([{ count: sum }]);
      }
      const { days } = await world.accounting();
      expect(days.map(({ stored }) => stored)).to.deep.equal(days.map(({ expected }) => expected));
    });
  });

  describe('readHistory', () => {
    it('returns the end of the last block, and only batches and dead letters of blocks before the offset', async () => {
      const blocks = createBlocks(world.clickhouse);
      const metrics = [aFreshMetric({ yes: 1 })];
      const first = aBlock({ partition, metrics, batchId: 'first' });
      await blocks.insert(first);
      await blocks.insert(aDeadBlock(1n, partition));
      await blocks.insert(aBlock({ partition, metrics, batchId: 'third', from: 2n }));
      const history = await blocks.readHistory(keyOf(partition), 2n, WINDOW_MS);

      expect(history.storedTo).to.equal(3n);
      expect(history.countedBlocks.flatMap(({ batches }) => batches)).to.deep.equal(first.batches);
      expect(history.deadBlocks.map(({ to, dead }) => ({ to, dead }))).to.deep.equal([{ to: 2n, dead: 1 }]);
    });

    it('returns the batches of blocks that are young enough, whatever their receipts', async () => {
      const seconds = Array.from({ length: 30 }, (_, index) => index * 5);
      const stored = seconds.map((second, index) =>
        aNumberedBlock(index, {
          partition,
          appendedAt: Date.now() + second * 1000,
          receivedAt: Date.now() - second * 1000,
        }),
      );
      const blocks = createBlocks(world.clickhouse);
      await blocks.insertAll(stored);
      const { countedBlocks } = await blocks.readHistory(keyOf(partition), 30n, WINDOW_MS);

      // Two minutes are 24 steps of five seconds.
      expect(countedBlocks).to.deep.equal(stored.slice(-25).map(countedBlockOf));
    });

    it('returns any number of blocks', async () => {
      const appendedAt = Date.now();
      const stored = Array.from({ length: 1100 }, (_, index) =>
        aNumberedBlock(index, { partition, appendedAt }),
      );
      const blocks = createBlocks(world.clickhouse);
      await blocks.insertAll(stored);

      const { countedBlocks } = await blocks.readHistory(keyOf(partition), 1099n, WINDOW_MS);
      expect(countedBlocks).to.deep.equal(stored.slice(0, 1099).map(countedBlockOf));
    });

    it('returns nothing of another partition or an earlier epoch', async () => {
      const blocks = createBlocks(world.clickhouse);
      await blocks.insert(aBlock({ partition, metrics: [aFreshMetric({ yes: 1 })] }));
      const nothing = { storedTo: 0n, countedBlocks: [], deadBlocks: [], series: [] };

      for (const key of [keyOf(partition + 1), { ...keyOf(partition), epoch: 2 }]) {
        expect(await blocks.readHistory(key, 9n, WINDOW_MS)).to.deep.equal(nothing);
      }
    });
  });
});

function keyOf(partition: number) {
  return { topic: 'counts', epoch: 1, partition };
}

type Appended = { readonly partition: number; readonly appendedAt: number; readonly receivedAt?: number };

function aNumberedBlock(from: number, place: Appended): Block {
  return aBlock({
    metrics: [aFreshMetric({ yes: 1 })],
    batchId: `batch-${from}`,
    from: BigInt(from),
    ...place,
  });
}

function countedBlockOf({ batches, appendedTo }: Block): CountedBlock {
  return { messages: 1, appendedTo, batches };
}
