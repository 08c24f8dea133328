import { expect } from 'chai';
import {
  aFreshCountsValue,
  appendCounts,
  readPosition,
} from '../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../support/eventually.ts';
import { runWorker, usageOf } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const MESSAGES = 500;

describe('a worker that gets SIGTERM', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });

  it('finishes its block, exits with 0 and leaves nothing doubled for its successor', async () => {
    const worker = await world.fork('worker');
    for (let send = 0; send < 4; send += 1) {
      await appendCounts(
        world,
        Array.from({ length: MESSAGES }, (_, index) => aFreshCountsValue(`${send}-${index}`)),
      );
      if (send === 1)
        await eventually(
          () => world.accounting(),
          ({ partitions }) => partitions.length > 0,
        );
    }
    expect(await worker.stop()).to.equal(0);
    const left = await readPosition(world);
    await runWorker(world);
    await world.settled();

    expect(left?.metadata).to.equal('');
    expect((await usageOf(world, 'new-basket')).yes).to.equal(4 * MESSAGES);
  });
});
