import { expect } from 'chai';
import { setUp } from '#tooling/operations';
import { codeOf } from '../../support/code-of.ts';
import {
  aFreshCountsValue,
  appendCounts,
  deleteCountsTopic,
} from '../../support/stack/engines/kafka/kafka-log.ts';
import { itNightly } from '../../support/nightly.ts';
import { runWorker, usageOf } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('a counts topic that is created again', () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  });
  afterEach(() => world.dispose());

  for (const [test, length, before, after] of [
    [it, 'shorter', 4, 2],
    [itNightly, 'longer', 2, 4],
  ] as const)
    test(`is counted from its start, also if it is ${length}, and not created while a worker runs`, async () => {
      const worker = await runWorker(world);
      await appendCounts(world, batches('old', before));
      await world.settled();
      await deleteCountsTopic(world);
      expect(await codeOf(() => setUp(world.config, world.log))).to.equal('worker-running');
      await worker.stop();
      await setUp(world.config, world.log);
      await appendCounts(world, batches('new', after));
      await runWorker(world);
      await world.settled();

      expect((await usageOf(world, 'new-basket')).yes).to.equal(before + after);
      expect(
        await world.query(
          'select epoch, toUInt32(sum(to_offset - from_offset)) as messages from blocks group by epoch order by epoch',
        ),
      ).to.deep.equal([
        { epoch: 1, messages: before },
        { epoch: 2, messages: after },
      ]);
    });
});

function batches(name: string, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => aFreshCountsValue(`${name} ${index}`));
}
