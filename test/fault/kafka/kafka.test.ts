import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type OwnEngine, ownKafka } from '../../support/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../support/processes/gauges.ts';
import { type Answer, bodyOf, push, randomMetrics } from '../../support/stories/load.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

/** Longer than a relay waits for an answer, and longer than the session of the worker. */
const FREEZE_MS = 12_000;

describeStory('3 Kafka, one broker', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let kafka: OwnEngine;
  let scene: Scene;

  before(async () => {
    kafka = await ownKafka();
  });
  beforeEach(async () => {
    scene = await open({ env: { KAFKA_BROKERS: kafka.address, MAX_BYTES_IN_FLIGHT: String(4 * MIB) } });
  });
  afterEach(async () => {
    await kafka.revive();
    await closeScenes();
  });
  after(() => kafka.dispose());

  it('killed and restarted loses and doubles nothing that was acknowledged', async () => {
    await rounds(1, async () => {
      await scene.load.acknowledged(random.between(10, 60));
      await kafka.kill();
      await sleep(random.between(0, 4000));
      await kafka.restart();
      await scene.load.acknowledged(10);
      await scene.counted();
    });

    await expectHonest(scene);
  });

  itNightly(
    'killed gives requests 503 with Retry-After within four seconds; the same process works again after the restart',
    async () => {
      await scene.load.stop();
      await kafka.kill();
      const startedAt = Date.now();
      const answers = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const entry = scene.ledger.open(randomMetrics(random));
          const answer = await push({
            url: scene.cast.ingest.url,
            body: bodyOf(entry),
            sender: `sender-${index % 5}`,
          });
          if (statusOf(answer) === 503) entry.fate = 'rejected';
          return answer;
        }),
      );
      const elapsedMs = Date.now() - startedAt;
      await kafka.restart();
      const entry = scene.ledger.open(randomMetrics(random));
      await eventually(
        () => push({ url: scene.cast.ingest.url, body: bodyOf(entry), sender: 'sender-0' }),
        (answer) => statusOf(answer) === 202,
      );
      entry.fate = 'acknowledged';

      expect(answers).to.deep.equal(answers.map(() => ({ status: 503, retryAfter: '5' })));
      expect(elapsedMs).to.be.lessThan(4900);
      await expectHonest(scene);
    },
  );

  it('frozen for twelve seconds rejects nothing, and repeated batches are counted once', async () => {
    await rounds(1, async () => {
      await scene.load.acknowledged(random.between(10, 40));
      const rejected = scene.ledger.count('rejected');
      await kafka.freeze();
      await sleep(FREEZE_MS);
      kafka.thaw();
      await scene.load.acknowledged(20);
      expect(scene.ledger.count('rejected')).to.equal(rejected);
    });

    expect((await expectHonest(scene)).unknown).to.equal(0);
  });

  itNightly('frozen keeps requests open while there is room, and rejects the rest at once', async () => {
    await scene.load.stop();
    const counted = (await scene.world.settled()).total.counted;
    await kafka.freeze();
    const held = Array.from({ length: 10 }, () => pushLarge());
    await eventually(
      () => readGauge(scene.cast.ingest, BYTES_IN_FLIGHT),
      // One token gets a quarter.
      (bytes) => bytes > MIB - LARGE_BYTES,
    );
    const startedAt = Date.now();
    const rejected = await pushLarge();
    const elapsedMs = Date.now() - startedAt;
    kafka.thaw();

    expect(rejected).to.deep.equal({ status: 503, retryAfter: '5' });
    expect(elapsedMs).to.be.lessThan(2500);
    expect((await Promise.all(held)).map(statusOf)).to.deep.equal(held.map(() => 202));
    const { total } = await scene.world.settled();
    expect(total.counted).to.equal(counted + held.length);
  });

  function pushLarge(): Promise<Answer> {
    return push({ url: scene.cast.ingest.url, body: largeBody(), timeoutMs: 30_000 });
  }
});

const MIB = 1024 * 1024;
const LARGE_BYTES = 102_400;

function statusOf(answer: Answer): number | string {
  return typeof answer === 'string' ? answer : answer.status;
}

/** A batch of exactly the largest size. A member that is ignored fills most of it. */
function largeBody(): string {
  const metrics = [{ featureName: 'large', appName: 'a', environment: 'production', yes: 1, no: 0 }];
  const batch = { applications: [], metrics, padding: '' };
  return JSON.stringify({ ...batch, padding: 'x'.repeat(LARGE_BYTES - JSON.stringify(batch).length) });
}
