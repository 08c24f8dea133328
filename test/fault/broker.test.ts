import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { Ledger } from '../support/ledger.ts';
import { type Answer, type Load, bodyOf, push, randomMetrics, startLoad } from '../support/load.ts';
import { type OwnEngine, ownKafka } from '../support/own-engines.ts';
import { type ServiceProcess } from '../support/process.ts';
import { chooseRounds, chooseSeed, createRandom } from '../support/random.ts';
import { type World, createWorld } from '../support/world.ts';

const seed = chooseSeed();
const rounds = chooseRounds(2);
const random = createRandom(seed);

/** What a relay waits for an answer. */
const RELAY_PATIENCE_MS = 5000;

describe(`a broker in trouble (SEED=${seed} ROUNDS=${rounds})`, function () {
  this.timeout(90_000 + rounds * 30_000);
  let kafka: OwnEngine;
  let world: World;
  let front: ServiceProcess;
  let ledger: Ledger;
  let load: Load | undefined;

  before(async () => {
    kafka = await ownKafka();
  });
  after(() => kafka.dispose());

  beforeEach(async () => {
    ledger = new Ledger();
    world = await createWorld({ KAFKA_BROKERS: kafka.address, MAX_BYTES_IN_FLIGHT: String(MIB) });
    [front] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
    await eventually(readReadiness, (status) => status === 200);
  });
  afterEach(async () => {
    await kafka.revive();
    await load?.stop();
    await world.dispose();
  });

  describe('that is dead', () => {
    it('makes requests get 503 with Retry-After within four seconds, and the same process works when it is back', async () => {
      await send('before');
      await kafka.kill();
      const startedAt = Date.now();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => send(`sender-${index % 5}`)),
      );
      const elapsedMs = Date.now() - startedAt;
      await kafka.restart();
      await eventually(
        () => send('after'),
        (answer) => statusOf(answer) === 202,
      );

      expect(answers).to.deep.equal(answers.map(() => ({ status: 503, retryAfter: '5' })));
      expect(elapsedMs).to.be.lessThan(4000);
      await ledger.expectCountedOnce(world);
    });

    it('loses nothing that was acknowledged and doubles nothing when it dies under load', async () => {
      load = startLoad({ ledger, random, url: () => front.url });
      for (let round = 0; round < rounds; round += 1) {
        await load.acknowledged(random.between(10, 60));
        await kafka.kill();
        await sleep(random.between(0, 4000));
        await kafka.restart();
        await load.acknowledged(10);
      }
      await load.stop();

      await ledger.expectCountedOnce(world);
    });
  });

  describe('that is frozen', () => {
    it('leaves requests without an answer until it thaws, and counts their repetitions once', async () => {
      await send('before');
      const entries = Array.from({ length: 6 }, () => ledger.open(randomMetrics(random)));
      kafka.freeze();
      const first = await Promise.all(entries.map((entry, index) => sendEntry(entry, `sender-${index % 4}`)));
      const thawing = sleep(3000).then(() => {
        kafka.thaw();
      });
      const second = await Promise.all(
        entries.map((entry, index) => sendEntry(entry, `sender-${index % 4}`)),
      );
      await thawing;

      expect(first).to.deep.equal(first.map(() => 'none'));
      expect(second.map(statusOf)).to.deep.equal(second.map(() => 202));
      for (const entry of entries) entry.fate = 'acknowledged';
      await ledger.expectCountedOnce(world);
    });

    it('holds requests open while there is room for them, and refuses the rest at once', async () => {
      await send('before');
      kafka.freeze();
      const held = Array.from({ length: 10 }, () => pushLarge());
      await eventually(readBytesInFlight, (bytes) => bytes > MIB - LARGE_BYTES);
      const startedAt = Date.now();
      const refused = await pushLarge();
      const elapsedMs = Date.now() - startedAt;
      kafka.thaw();

      expect(refused).to.deep.equal({ status: 503, retryAfter: '5' });
      expect(elapsedMs).to.be.lessThan(2000);
      expect((await Promise.all(held)).map(statusOf)).to.deep.equal(held.map(() => 202));
      expect((await world.settled()).total.counted).to.be.greaterThan(held.length);
    });

    it('is outlived by load with exact counts', async () => {
      load = startLoad({ ledger, random, url: () => front.url });
      await load.acknowledged(20);
      kafka.freeze();
      await sleep(random.between(4000, 9000));
      kafka.thaw();
      await load.acknowledged(20);
      await load.stop();

      await ledger.expectCountedOnce(world);
      expect(ledger.count('unknown')).to.equal(0);
    });
  });

  async function send(sender: string): Promise<Answer> {
    const entry = ledger.open(randomMetrics(random));
    const answer = await sendEntry(entry, sender);
    if (statusOf(answer) === 202) entry.fate = 'acknowledged';
    if (statusOf(answer) === 503) entry.fate = 'refused';
    return answer;
  }

  function sendEntry(entry: Parameters<typeof bodyOf>[0], sender: string): Promise<Answer> {
    return push({ url: front.url, body: bodyOf(entry), sender, timeoutMs: RELAY_PATIENCE_MS });
  }

  function pushLarge(): Promise<Answer> {
    return push({ url: front.url, body: largeBody(), timeoutMs: 30_000 });
  }

  async function readBytesInFlight(): Promise<number> {
    const metrics = await (await fetch(`${front.url}/internal-backstage/prometheus`)).text();
    return Number(/^flagmeter_ingest_bytes_in_flight (\d+)$/m.exec(metrics)?.[1]);
  }

  async function readReadiness(): Promise<number> {
    return (await fetch(`${front.url}/ready`)).status;
  }
});

const MIB = 1024 * 1024;
const LARGE_BYTES = 102_400;

function statusOf(answer: Answer): number | string {
  return typeof answer === 'string' ? answer : answer.status;
}

/** A batch of exactly the largest size: most of it in a member that is ignored. */
function largeBody(): string {
  const metrics = [{ featureName: 'large', appName: 'a', environment: 'production', yes: 1, no: 0 }];
  const batch = { applications: [], metrics, padding: '' };
  return JSON.stringify({ ...batch, padding: 'x'.repeat(LARGE_BYTES - JSON.stringify(batch).length) });
}
