import { expect } from 'chai';
import { createBlocks } from '#core/clickhouse';
import { DuplicateWindow, buildBlock, encodeIntent } from '#core/counting';
import type { Fail, FlagmeterError } from '#base/runtime';
import { startWorker } from '../../../services/worker/index.ts';
import { breakDailyView, readFailedAttempts } from '../../support/stories/faults/broken-view.ts';
import {
  aFreshCountsValue,
  appendCounts,
  commitPosition,
  forgetMessages,
  readPosition,
} from '../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { runWorker, usageOf } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('a worker that takes over a partition', () => {
  let world: World;
  const values = ['a', 'b', 'c', 'd'].map(aFreshCountsValue);

  const createFilledWorld = async (): Promise<void> => {
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
    await appendCounts(world, values);
  };
  const dispose = (): Promise<void> => world.dispose();

  describe('after a worker that died with an intent', () => {
    beforeEach(createFilledWorld);
    afterEach(dispose);

    const intent = encodeIntent({ to: 2n, at: Date.now() });

    itNightly('first stores exactly the intended block if it was not stored', async () => {
      await commitPosition(world, { offset: 0n, metadata: intent });
      await countAll();

      expect(await readRanges()).to.deep.equal(['0-2', '2-4']);
      expect((await usageOf(world, 'new-basket')).yes).to.equal(4);
    });

    itNightly('adds nothing if the block was already stored', async () => {
      const range = { topic: topic(), epoch: 1, partition: 0, from: 0n, to: 2n };
      const messages = values.slice(0, 2).map((value, offset) => ({
        offset: BigInt(offset),
        value,
        appendedAt: Date.now() + 1000,
      }));
      const { block } = buildBlock(range, messages, { duplicates: new DuplicateWindow(45_000) });
      await createBlocks(world.clickhouse).insert(block);
      await commitPosition(world, { offset: 0n, metadata: intent });
      await countAll();

      expect(await readRanges()).to.deep.equal(['0-2', '2-4']);
      expect((await usageOf(world, 'new-basket')).yes).to.equal(4);
    });

    it('completes exactly the block whose INSERT was cut short by a kill, and then counts later batches', async () => {
      const repair = await breakDailyView(world);
      const first = await world.fork('worker');
      await eventually(
        () => readFailedAttempts(first, 'insert'),
        (failures) => failures > 0,
      );
      const left = await readPosition(world);
      await first.kill();
      await appendCounts(world, ['e', 'f'].map(aFreshCountsValue));
      await repair();
      await countAll();

      expect(left?.offset).to.equal(0n);
      expect(left?.metadata).to.match(/^flagmeter-intent:2:4:/);
      expect(await readRanges()).to.deep.equal(['0-4', '4-6']);
      expect((await usageOf(world, 'new-basket')).yes).to.equal(6);
    });
  });

  describe('whose first block is missing', () => {
    beforeEach(createFilledWorld);
    afterEach(dispose);

    itNightly(
      'stops at messages that were deleted before its first block, until the offset is set to the start of the log',
      async () => {
        await forgetMessages(world, 2n);
        const { code, message } = await failureOfWorker();
        expect(code).to.equal('log-gap');
        expect(message).to.include('stored up to 0, but the log begins at 2');
        expect(await readRanges()).to.deep.equal([]);

        await commitPosition(world, { offset: 2n, metadata: '' });
        await runWorker(world);
        const { partitions } = await world.drained();
        expect(await readRanges()).to.deep.equal(['2-4']);
        expect(partitions.map(({ gaps }) => gaps)).to.deep.equal([1]);
      },
    );
  });

  /** Each test begins where the one before it ended. */
  describe('whose offset or blocks are not as it expects', () => {
    before(createFilledWorld);
    after(dispose);

    it('stops if it would skip messages before its first block that are still in the log', async () => {
      await commitPosition(world, { offset: 2n, metadata: '' });

      expect((await failureOfWorker()).code).to.equal('discontinuity');
      expect(await readRanges()).to.deep.equal([]);
    });

    it('reports the failure while the stored blocks cannot be read, and counts as soon as they can', async () => {
      await commitPosition(world, { offset: 0n, metadata: '' });
      await world.clickhouse.command({ query: 'rename table blocks to blocks_away' });
      const worker = await runWorker(world);
      await eventually(
        () => readFailedAttempts(worker, 'take over'),
        (failures) => failures > 0,
      );
      await world.clickhouse.command({ query: 'rename table blocks_away to blocks' });
      await world.settled();
      await eventually(
        () => readPosition(world),
        (position) => position?.offset === 4n && position.metadata === '',
      );
      await worker.stop();

      expect(await readRanges()).to.deep.equal(['0-4']);
      await appendCounts(world, ['e', 'f', 'g'].map(aFreshCountsValue));
    });

    it('stops before it counts twice', async () => {
      await commitPosition(world, { offset: 1n, metadata: '' });
      const failure = await failureOfWorker();

      expect(failure.code).to.equal('discontinuity');
      expect(failure.message).to.include('stored up to 4, but the committed offset is 1');
      expect(failure.message).to.include('would count twice');
      expect(await readRanges()).to.deep.equal(['0-4']);
    });

    it('stops before it leaves a gap', async () => {
      await commitPosition(world, { offset: 6n, metadata: '' });
      const failure = await failureOfWorker();

      expect(failure.code).to.equal('discontinuity');
      expect(failure.message).to.include('stored up to 4, but the committed offset is 6');
      expect(failure.message).to.include('were not counted');
      expect(await readRanges()).to.deep.equal(['0-4']);
    });

    itNightly('stops at metadata of another writer', async () => {
      await commitPosition(world, { offset: 4n, metadata: 'somebody else' });

      expect((await failureOfWorker()).code).to.equal('intent');
      expect(await readRanges()).to.deep.equal(['0-4']);
    });

    it('stops at messages that were deleted before they were counted, until the offset is set to the start of the log', async () => {
      await commitPosition(world, { offset: 4n, metadata: '' });
      await forgetMessages(world, 6n);
      expect((await failureOfWorker()).code).to.equal('log-gap');
      expect((await failureOfWorker()).message).to.include('stored up to 4, but the log begins at 6');
      expect(await readRanges()).to.deep.equal(['0-4']);

      await commitPosition(world, { offset: 6n, metadata: '' });
      await runWorker(world);
      const { partitions } = await world.drained();
      expect(await readRanges()).to.deep.equal(['0-4', '6-7']);
      expect(partitions.map(({ gaps }) => gaps)).to.deep.equal([1]);
    });
  });

  async function countAll(): Promise<void> {
    await runWorker(world);
    await world.settled();
  }

  /** The reason why a worker ends. */
  async function failureOfWorker(): Promise<FlagmeterError> {
    let fail: Fail = () => undefined;
    const failed = new Promise<unknown>((resolve) => {
      fail = resolve;
    });
    const worker = await startWorker(world.config, world.log, (error) => {
      fail(error);
    });
    const failure = await failed;
    await worker.stop();
    return failure as FlagmeterError; // any other value fails the assertions
  }

  async function readRanges(): Promise<string[]> {
    const rows = await world.query<{ range: string }>(
      `select concat(toString(from_offset), '-', toString(to_offset)) as range from blocks order by from_offset`,
    );
    return rows.map(({ range }) => range);
  }

  function topic(): string {
    return world.config.kafka.topics.counts;
  }
});
