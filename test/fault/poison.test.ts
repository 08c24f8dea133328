import { expect } from 'chai';
import { aCountsValue } from '../support/builders/builders.ts';
import { MESSAGE } from '../support/builders/spoilt-messages.ts';
import { appendCounts, readTopic } from '../support/stack/engines/kafka/kafka-log.ts';
import { randomMetrics } from '../support/stories/load.ts';
import type { Scene } from '../support/stories/scene.ts';
import { itNightly } from '../support/nightly.ts';
import { describeStory } from '../support/stories/story.ts';

/**
 * Messages that do not belong there: no JSON, a later version, another producer's, an empty one, and ours with a
 * hole.
 */
const POISON = [
  Uint8Array.of(0xff, 0x00, 0xc3, 0x28),
  '{"v":99}',
  '{"event":"page-view","user":17}',
  null,
  JSON.stringify({ ...MESSAGE, names: [] }),
] as const;

const PARTITIONS = 2;
const PER_POISON = 1000;

/** By day, test/integration/worker/dead-letters.test.ts has the same of a few messages. */
describeStory('8 poison', ({ random, rounds, open, expectHonest }) => {
  itNightly('in one of a thousand messages is kept apart, and every good message counts', async () => {
    const scene = await open({ env: { KAFKA_COUNTS_PARTITIONS: String(PARTITIONS) } });
    let poisoned = 0;
    await rounds(POISON.length, async (round) => {
      const place = random.between(0, PER_POISON - 1);
      const values: (string | Uint8Array | null)[] = Array.from({ length: PER_POISON - 1 }, () =>
        aGoodMessage(scene),
      );
      values.splice(place, 0, POISON[round % POISON.length] ?? null);
      for (let start = 0; start < values.length; start += 250)
        await appendCounts(scene.world, values.slice(start, start + 250), round % PARTITIONS);
      poisoned += 1;
    });

    await expectHonest(scene);
    expect((await scene.world.settled()).total.dead).to.equal(poisoned);
    const letters = await readTopic(scene.world, scene.world.config.kafka.topics.deadLetters);
    expect(new Set(letters.map(({ key }) => key)).size).to.equal(poisoned);
  });

  itNightly(
    'in a flood stops the worker, which logs why; when an operator lets it pass, every good message counts',
    async () => {
      const scene = await open({
        env: { KAFKA_COUNTS_PARTITIONS: String(PARTITIONS), MAX_DEAD_LETTERS: '20' },
      });
      await rounds(1, async () => {
        const flood = Array.from({ length: 200 }, () => random.pick<string | Uint8Array | null>(POISON));
        await appendCounts(scene.world, flood, random.between(0, PARTITIONS - 1));
        await expectStopped(scene);
        await scene.load.acknowledged(10);
        await scene.replace('worker');
        await expectStopped(scene);
        await scene.replace('worker', { env: { MAX_DEAD_LETTERS: '1000' } });
        await scene.counted();
      });

      await expectHonest(scene);
      expect((await scene.world.settled()).total.dead).to.be.greaterThan(0);
    },
  );

  /** A message as ingest writes it, recorded in the ledger as acknowledged. */
  function aGoodMessage(scene: Scene): Uint8Array {
    const entry = scene.ledger.open(randomMetrics(random));
    entry.fate = 'acknowledged';
    const { tag, metrics, impactMetrics } = entry;
    return aCountsValue({ batchId: tag, receivedAt: Date.now(), metrics: [...metrics], impactMetrics });
  }
});

async function expectStopped({ cast: { worker } }: Scene): Promise<void> {
  expect(await worker.expectEnd()).to.equal(1);
  const log = await worker.readLog();
  expect(log).to.include('"code":"poison"');
  expect(log).to.include('cannot be decoded: is it our topic?');
}
