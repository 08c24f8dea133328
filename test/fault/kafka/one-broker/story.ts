import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { WiredKafka } from '../../../support/stack/engines/kafka/wired-kafka.ts';
import { eventually } from '../../../support/eventually.ts';
import { itNightly } from '../../../support/nightly.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../../support/stack/processes/gauges.ts';
import { type Answer, bodyOf, deliver, push, randomMetrics } from '../../../support/stories/load.ts';
import { type Scene, countFailed } from '../../../support/stories/scene.ts';
import type { Story } from '../../../support/stories/story.ts';
import { untilReady } from '../../../support/world.ts';

/** Longer than a relay waits for an answer, and longer than the session of the worker. */
const FREEZE_MS = 12_000;

export function tellStory(
  given: () => WiredKafka,
  { random, rounds, open, closeScenes, expectHonest }: Story,
): void {
  let kafka: WiredKafka;

  before(() => {
    kafka = given();
  });
  afterEach(async () => {
    await kafka.wire.mend();
    await kafka.revive();
    await closeScenes();
  });

  // One scene for three faults, because its start costs as much as they do.
  it('frozen, killed, or without acknowledgements loses and doubles nothing that was acknowledged', async () => {
    const scene = await begin();
    await rounds(1, () => freeze(scene));
    await rounds(1, async () => {
      await scene.load.acknowledged(random.between(5, 30));
      await kafka.kill();
      await sleep(random.between(0, 4000));
      await kafka.restart();
      await scene.load.acknowledged(10);
      await scene.counted();
    });
    await loseAcknowledgement(scene);

    await expectHonest(scene);
  });

  itNightly(
    'killed gives requests 503 with Retry-After long before they expire; the same process works again after the restart',
    async () => {
      const scene = await begin();
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
            timeoutMs: 60_000,
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
      // After three seconds. An outcome that is unknown takes thirty.
      expect(elapsedMs).to.be.lessThan(20_000);
      await expectHonest(scene);
    },
  );

  itNightly('frozen keeps requests open while there is room, and rejects the rest at once', async () => {
    const scene = await begin();
    await scene.load.stop();
    const counted = (await scene.world.settled()).total.counted;
    await kafka.freeze();
    const held = Array.from({ length: 10 }, () => pushLarge(scene));
    await eventually(
      () => readGauge(scene.cast.ingest, BYTES_IN_FLIGHT),
      // One token gets a quarter.
      (bytes) => bytes > MIB - LARGE_BYTES,
    );
    const rejected = await pushLarge(scene);
    kafka.thaw();

    expect(rejected).to.deep.equal({ status: 503, retryAfter: '5' });
    expect((await Promise.all(held)).map(statusOf)).to.deep.equal(held.map(() => 202));
    const { total } = await scene.world.settled();
    expect(total.counted).to.equal(counted + held.length);
  });

  itNightly(
    'counts exactly the acknowledged batches when its connection is slow, loses answers and breaks under load',
    async () => {
      const { wire } = kafka;
      const scene = await begin(wired());
      await rounds(1, async () => {
        await scene.load.acknowledged(random.between(5, 40));
        wire.delay(random.between(50, 800));
        await scene.load.acknowledged(random.between(5, 20));
        wire.swallowAnswers();
        await wire.swallowed();
        await wire.cut();
        await wire.mend();
        await scene.load.acknowledged(10);
      });

      await expectHonest(scene);
    },
  );

  function begin(env: Readonly<Record<string, string>> = {}): Promise<Scene> {
    return open({
      env: { KAFKA_BROKERS: kafka.address, MAX_BYTES_IN_FLIGHT: String(4 * MIB), ...env },
      onlookers: 'at night',
    });
  }

  function wired(): Record<string, string> {
    return { KAFKA_BROKERS: `127.0.0.1:${kafka.wire.port}` };
  }

  /** For twelve seconds. Rejects nothing, and the repeated batches are counted once. */
  async function freeze(scene: Scene): Promise<void> {
    const { load } = scene;
    await load.acknowledged(random.between(5, 20));
    const { rejected } = await countFailed(scene);
    await kafka.freeze();
    await sleep(FREEZE_MS);
    kafka.thaw();
    await load.acknowledged(20);
    expect(await countFailed(scene)).to.deep.equal({ rejected, unknown: 0 });
  }

  /** The batch stays unanswered, and counts once when it is repeated. */
  async function loseAcknowledgement(scene: Scene): Promise<void> {
    const { load, ledger, cast } = scene;
    await load.stop();
    expect(await cast.ingest.stop()).to.equal(0);
    const { url } = await scene.replace('ingest', { env: wired() });
    await untilReady(url);
    const entry = ledger.open(randomMetrics(random));
    // The loss of another answer might come before the batch was sent.
    kafka.wire.swallowAnswers(isProduce);
    const first = push({ url, body: bodyOf(entry), sender: 'sender' });
    await kafka.wire.swallowed();
    await kafka.wire.cut();

    expect(await first).to.equal('none');
    await kafka.wire.mend();
    await deliver(entry, 'sender', () => url);
    expect(entry.fate).to.equal('acknowledged');
  }
}

const MIB = 1024 * 1024;
const LARGE_BYTES = 102_400;

function pushLarge({ cast }: Scene): Promise<Answer> {
  return push({ url: cast.ingest.url, body: largeBody(), timeoutMs: 30_000 });
}

function statusOf(answer: Answer): number | string {
  return typeof answer === 'string' ? answer : answer.status;
}

/** A batch of exactly the largest size. A member that is ignored fills most of it. */
function largeBody(): string {
  const metrics = [{ featureName: 'large', appName: 'a', environment: 'production', yes: 1, no: 0 }];
  const batch = { applications: [], metrics, padding: '' };
  return JSON.stringify({ ...batch, padding: 'x'.repeat(LARGE_BYTES - JSON.stringify(batch).length) });
}

/** Whether it is a request of Kafka's protocol that writes messages: its length in four bytes, then the key 0. */
function isProduce(request: Buffer): boolean {
  return request.length > 6 && request.readInt16BE(4) === 0;
}
