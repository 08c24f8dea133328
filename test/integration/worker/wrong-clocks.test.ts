import { expect } from 'chai';
import { aCountsValue } from '../../support/builders/builders.ts';
import { appendCountsAt, trustProducerTimes } from '../../support/stack/engines/kafka/kafka-log.ts';
import { itNightly } from '../../support/nightly.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { runWorker, usageOf } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';

/** A block of one message: who sends the batch, when ingest takes it, and when the broker appends it, by their clocks. */
type OneBlock = { readonly batchId: string; readonly receivedAt: number; readonly appendedAt: number };

describe('a worker whose brokers and ingest processes have wrong clocks', () => {
  let world: World;
  const now = Date.now();

  beforeEach(async () => {
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
    await trustProducerTimes(world);
  });
  afterEach(() => world.dispose());

  for (const [test, broker, aheadMs] of [
    [it, '46 s behind', -46_000],
    [itNightly, 'an hour ahead', 3_600_000],
  ] as const)
    test(`counts a message once that a new leader ${broker} stores again`, async () => {
      const sent = { batchId: 'a', receivedAt: now };
      await countBlocks([
        { ...sent, appendedAt: now },
        { batchId: 'b', receivedAt: now, appendedAt: now + aheadMs },
      ]);
      await countBlocks([{ ...sent, appendedAt: now + aheadMs + 1000 }]);

      expect((await usageOf(world, 'new-basket')).yes).to.equal(2);
    });

  it('counts a batch once that comes again to an ingest process 121 s behind', async () => {
    await countBlocks([
      { batchId: 'a', receivedAt: now - 121_000, appendedAt: now },
      { batchId: 'b', receivedAt: now, appendedAt: now },
    ]);
    await countBlocks([{ batchId: 'a', receivedAt: now - 111_000, appendedAt: now + 10_000 }]);

    expect((await usageOf(world, 'new-basket')).yes).to.equal(2);
  });

  /** A separate worker, which knows earlier batches only from ClickHouse, stores each message as a block. */
  async function countBlocks(blocks: readonly OneBlock[]): Promise<void> {
    const worker = await runWorker(world);
    for (const { batchId, receivedAt, appendedAt } of blocks) {
      const value = aCountsValue({ batchId, receivedAt, metrics: [aFreshMetric({ yes: 1 })] });
      await appendCountsAt(world, value, appendedAt);
      await world.settled();
    }
    await worker.stop();
  }
});
