import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createRandom } from '#tooling/traffic';
import { type Ledger, type Relay, createRelay } from '../../../../tools/relay/index.ts';
import { freePort } from '../../../../tools/stack/index.ts';
import { aCountsValue } from '../../../support/builders/builders.ts';
import { chooseSeed } from '../../../support/builders/random.ts';
import { type Standstills, watchStandstills } from '../../../support/clock/standstills.ts';
import { eventually } from '../../../support/eventually.ts';
import { itByTurns } from '../../../support/nightly.ts';
import { appendCounts } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { setQuota } from '../../../support/stack/engines/kafka/quota.ts';
import type { WiredKafka } from '../../../support/stack/engines/kafka/wired-kafka.ts';
import { readGauge } from '../../../support/stack/processes/gauges.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { CLIENT_TOKEN, type World, createWorld } from '../../../support/world.ts';

const SEED = chooseSeed();
const RELAYS = 12;
/** The quota is a third of what the relays send. */
const PRODUCER_BYTES = 20_000;
const LOAD_MS = 20_000;
/** Edge waits for five seconds. */
const LONGEST_ANSWER_MS = 4500;
/** The machine may stand still in between. */
const PATIENCE_MS = 60_000;

/** What the worker gets takes longer than the eight seconds of its session. */
const CONSUMER_BYTES = 50_000;
/** After a standstill, a worker reads again what it had not got. */
export const SETTLED_MS = 400_000;
const SHORT_STANDSTILL_MS = 1000;

export function testQuotas(given: () => WiredKafka): void {
  let kafka: WiredKafka;
  let world: World;
  let standstills: Standstills;

  before(async () => {
    standstills = watchStandstills();
    kafka = given();
    world = await createWorld({ KAFKA_BROKERS: kafka.address, KAFKA_COUNTS_PARTITIONS: '2' });
  });
  after(async () => {
    standstills.end();
    await world.dispose();
  });

  // The simulation by day has quotas of both, too.
  const itOfProducers = itByTurns(2);
  itOfProducers(
    'answers every relay that sends more than the quota allows, and stores what they evaluated once',
    async () => {
      const [ingest, worker] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
      const { evaluated, tries } = await exceedQuota('shop', ingest);

      expect(new Set(tries.map(({ status }) => status))).to.deep.equal(new Set([202, 503]));
      const times = tries.map(
        ({ startedAt, endedAt }) => endedAt - startedAt - standstills.between(startedAt, endedAt),
      );
      expect(Math.max(...times)).to.be.lessThan(LONGEST_ANSWER_MS);
      expect(await throttledSeconds(ingest)).to.be.greaterThan(1);
      expect(await storedSum(world, 'shop')).to.equal(evaluated);
      await Promise.all([ingest.stop(), worker.stop()]);
    },
  );

  itOfProducers('stores what relays evaluated once if ingest is restarted above the quota', async () => {
    const env = { PORT: String(await freePort()) };
    const [ingest, worker] = await Promise.all([world.fork('ingest', env), world.fork('worker')]);
    let restarted: ServiceProcess | undefined;
    const { evaluated, tries } = await exceedQuota('restarted', ingest, async () => {
      await eventually(
        () => throttledSeconds(ingest),
        (seconds) => seconds > 1,
      );
      expect(await ingest.stop()).to.equal(0);
      restarted = await world.fork('ingest', env);
    });

    expect(tries.map(({ status }) => status)).to.include.members([202, 503]);
    expect(await storedSum(world, 'restarted')).to.equal(evaluated);
    await Promise.all([restarted?.stop(), worker.stop()]);
  });

  const itOfConsumers = itByTurns(2);
  itOfConsumers(
    'gives a worker above the quota of consumers everything, and it never joins its group again',
    async () => {
      const quota = { clientId: 'flagmeter-worker', key: 'consumer_byte_rate' } as const;
      await appendLargeCounts('quota');
      await setQuota(kafka, { ...quota, bytesPerSecond: CONSUMER_BYTES });
      await expectSteady(await world.fork('worker'));
      await setQuota(kafka, { ...quota, bytesPerSecond: undefined });
    },
  );

  itOfConsumers(
    'gives a worker behind a slow connection everything, and it never joins its group again',
    async () => {
      const worker = await world.fork('worker', { KAFKA_BROKERS: `127.0.0.1:${kafka.wire.port}` });
      kafka.wire.slow(CONSUMER_BYTES);
      await appendLargeCounts('connection');
      await expectSteady(worker);
      await kafka.wire.mend();
    },
  );

  /** Relays evaluate for a while, and send more than the quota allows. Resolves when all is counted that they evaluated. */
  async function exceedQuota(
    appName: string,
    ingest: ServiceProcess,
    meanwhile: () => Promise<void> = () => Promise.resolve(),
  ): Promise<{ readonly evaluated: number; readonly tries: Tries }> {
    const quota = { clientId: 'flagmeter-ingest', key: 'producer_byte_rate' } as const;
    await setQuota(kafka, { ...quota, bytesPerSecond: PRODUCER_BYTES });
    const relays = Array.from({ length: RELAYS }, (_, index) =>
      createRelay({
        url: ingest.url,
        tokens: { production: CLIENT_TOKEN },
        random: createRandom(SEED + index),
        timeoutMs: PATIENCE_MS,
      }),
    );
    const endAt = Date.now() + LOAD_MS;
    const tries = (): Tries =>
      relays.flatMap(({ ledger }) => ledger.deliveries.flatMap(({ attempts }) => attempts));
    // A slow machine needs longer to exceed it.
    const isExceeded = (): boolean => tries().some(({ status }) => status === 503);
    const isOver = (): boolean => Date.now() > (isExceeded() ? endAt : endAt + 5 * LOAD_MS);
    const [sums] = await Promise.all([
      Promise.all(relays.map((relay, index) => evaluateUntil(isOver, relay, { appName, index }))),
      meanwhile(),
    ]);
    await setQuota(kafka, { ...quota, bytesPerSecond: undefined });
    await Promise.all(relays.map(pushAll));
    for (const relay of relays) relay.close();
    await world.settled();
    return {
      evaluated: sums.reduce((sum, count) => sum + count, 0),
      tries: tries(),
    };
  }

  /** More than half a MiB for each partition, without ingest. */
  async function appendLargeCounts(name: string): Promise<void> {
    // A call opens a connection of its own, so few calls are made. They are small, so that the worker reads several times.
    for (const partition of [0, 1])
      for (const call of [0, 1, 2]) {
        const values = Array.from({ length: 20 }, (_, batch) =>
          aLargeValue(`${name}-${partition}-${call}-${batch}`),
        );
        await appendCounts(world, values, partition);
      }
  }

  async function expectSteady(worker: ServiceProcess): Promise<void> {
    const since = Date.now();
    await world.settled(SETTLED_MS);
    const topic = world.config.kafka.topics.counts;
    const slow = await readGauge(worker, `flagmeter_worker_slow_fetch_seconds_total{topic="${topic}"}`);
    expect(slow).to.be.greaterThan(2);
    // A member whose machine has stood still for seconds may have been given up.
    if (standstills.between(since, Date.now()) < SHORT_STANDSTILL_MS)
      expect(await worker.readLog()).not.to.match(/re-joining|timed out/);
    await worker.stop();
  }
}

function aLargeValue(name: string): Uint8Array {
  const metrics = Array.from({ length: 200 }, (_, index) =>
    aFreshMetric({ featureName: `a-feature-with-a-longer-name-${name}-${index}`, appName: 'large', yes: 1 }),
  );
  return aCountsValue({ batchId: name, receivedAt: Date.now(), metrics });
}

type Tries = Ledger['deliveries'][number]['attempts'];

const FEATURES = 100;

/** A relay that pushes every second, whatever it is answered. Returns the number of its evaluations. */
async function evaluateUntil(
  isOver: () => boolean,
  relay: Relay,
  { appName, index }: { readonly appName: string; readonly index: number },
): Promise<number> {
  let evaluations = 0;
  while (!isOver()) {
    for (let feature = 0; feature < FEATURES; feature += 1) {
      const featureName = `a-feature-with-a-name-${index}-${feature}`;
      relay.record({ featureName, appName, environment: 'production', at: Date.now(), yes: 1 });
      evaluations += 1;
    }
    await Promise.all([relay.push(), sleep(1000)]);
  }
  return evaluations;
}

/** Until nothing is left of what it has merged back. */
async function pushAll(relay: Relay): Promise<void> {
  const { deliveries } = relay.ledger;
  for (let pushed = -1; pushed < deliveries.length;) {
    pushed = deliveries.length;
    await relay.push();
    await sleep(500);
  }
}

async function storedSum(world: World, appName: string): Promise<number> {
  const [row] = await world.query<{ yes: string }>(
    'select sum(yes) as yes from usage_by_hour where app_name = {appName:String}',
    { appName },
  );
  return Number(row?.yes ?? 0);
}

function throttledSeconds(ingest: ServiceProcess): Promise<number> {
  return readGauge(ingest, 'flagmeter_ingest_kafka_throttled_seconds_total');
}
