import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { type Crowd, gatherCrowd } from '../../../support/attacks/crowd.ts';
import type { OwnEngine } from '../../../support/stack/engines/own-engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../../support/stack/processes/gauges.ts';
import { readMemory } from '../../../support/stack/measures/memory.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { type Answer, aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { type RawAnswer, openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';
import { partitionOfKey, senderTo } from '../../../support/requests/sender-to.ts';
import { CLIENT_TOKEN, type World, createWorld } from '../../../support/world.ts';

const HEADERS = { Authorization: CLIENT_TOKEN, 'Content-Type': 'application/json' };
/** All its batches go to one partition. */
const KEY = 'one relay';
const SENDER = { 'idempotency-key': KEY };
const MIB = 1024 * 1024;
/**
 * The default quarter of MAX_BYTES_IN_FLIGHT for one token, and the memory that docs/operate/watch/limits.md states for all of
 * it.
 */
const ROOM = 16 * MIB;
const MEMORY = 512 * MIB;
const CONNECTIONS = 2000;
const METRICS = 560;

export function testOverload(given: () => OwnEngine): void {
  let kafka: OwnEngine;
  let world: World;
  let ingest: ServiceProcess;
  let crowd: Crowd | undefined;
  let sent = 0;

  before(async () => {
    kafka = given();
    world = await createWorld({ KAFKA_BROKERS: kafka.address });
    [ingest] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
  });
  after(async () => {
    crowd?.leave();
    await kafka.revive();
    await world.dispose();
  });

  it('that freezes before the first batch rejects requests, and works after the thaw', async () => {
    await kafka.freeze();
    const rejected = await sendOne();
    kafka.thaw();
    const answer = await eventually(sendOne, ({ status }) => status === 202);

    expect([rejected.status, rejected.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(answer.status).to.equal(202);
  });

  it('that is frozen keeps 2,000 connections within its memory, and stores everything that it held after the thaw', async () => {
    const metrics = Array.from({ length: METRICS }, (_, index) =>
      aFreshMetric({
        featureName: `a-feature-of-${index}`,
        appName: `an-application-of-${index % 7}`,
        yes: 1,
      }),
    );
    const body = bodyOf({ metrics });
    const head = rawHead('/edge/metrics', { ...HEADERS, 'Content-Length': body.length });
    expect((await sendOne()).status).to.equal(202);
    await kafka.freeze();
    crowd = await gatherCrowd(ingest.url, CONNECTIONS, { request: Buffer.from(head + body) });
    const atOnce = await eventually(
      () => readCrowd(crowd),
      ({ open = 0, 503: rejected = 0 }) => rejected > 0 && open * body.length <= ROOM,
    );
    const memory = await watchMemory(ingest, 5000);
    const { open: held = 0 } = await readCrowd(crowd);
    const bytes = await readGauge(ingest, BYTES_IN_FLIGHT);
    const health = (await fetch(`${ingest.url}/health`)).status;
    kafka.thaw();
    const atLast = await eventually(
      () => readCrowd(crowd),
      ({ open = 0 }) => open === 0,
    );
    const { total, ...accounting } = await world.settled();

    expect(held).to.be.within(1, atOnce['open'] ?? 0);
    expect(bytes).to.be.at.most(ROOM);
    expect(memory).to.be.lessThan(MEMORY);
    expect(health).to.equal(200);
    // A client that is slow to send its body loses the answer 503, because ingest does not wait for that body.
    const { 202: accepted, 503: rejected = 0, cut = 0 } = atLast;
    expect(accepted).to.equal(held);
    expect(rejected + cut).to.equal(CONNECTIONS - held);
    expect(rejected).to.be.above(0);
    expect(findDifferences(accounting)).to.deep.equal([]);
    expect(total.counted).to.equal((atLast['202'] ?? 0) * METRICS + 2);
  });

  it('that is dead answers 503 before the body, is not ready after a while, and becomes ready again without traffic', async () => {
    const stored = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });
    const first = await post(ingest, { body: stored, headers: SENDER });
    await kafka.kill();
    await sendOne();
    const open = await readOpenPartitions();
    const early = await answerToHead();
    const repeated = await post(ingest, { body: stored, headers: SENDER });
    const health = (await fetch(`${ingest.url}/health`)).status;
    const readyAtFirst = (await fetch(`${ingest.url}/ready`)).status;
    await eventually(readReadiness, (status) => status === 503);
    await kafka.restart();
    await eventually(readReadiness, (status) => status === 200);
    await eventually(readOpenPartitions, (partitions) => partitions === 0);
    const late = await sendOne();
    const { total, ...accounting } = await world.settled();

    expect(open).to.be.greaterThan(0);
    // Its relay may not have got the first answer, and would merge the batch after a 503.
    expect([first.status, repeated.status]).to.deep.equal([202, 202]);
    expect([early.status, early.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect([health, readyAtFirst]).to.deep.equal([200, 200]);
    expect(late.status).to.equal(202);
    expect(findDifferences(accounting)).to.deep.equal([]);
    // The probes are empty batches, not dead letters.
    expect(total.dead).to.equal(0);
  });

  function sendOne(): Promise<Answer> {
    sent += 1; // a repeated body would be a duplicate
    return post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ yes: sent })] }), headers: SENDER });
  }

  /** Sends only the head of a request of another sender to the same partition, and returns the answer. */
  async function answerToHead(): Promise<RawAnswer> {
    const { countsPartitions } = world.config.kafka;
    const other = { 'Idempotency-Key': senderTo(partitionOfKey(KEY, countsPartitions), countsPartitions) };
    const connection = await openRawConnection(ingest.url);
    await connection.write(rawHead('/edge/metrics', { ...HEADERS, ...other, 'Content-Length': 90_000 }));
    const answer = await connection.answer();
    connection.cut();
    return answer;
  }

  function readOpenPartitions(): Promise<number> {
    return readGauge(ingest, `flagmeter_breaker_open{topic="${world.config.kafka.topics.counts}"}`);
  }

  async function readReadiness(): Promise<number> {
    return (await fetch(`${ingest.url}/ready`)).status;
  }
}

function readCrowd(crowd: Crowd | undefined): Promise<Readonly<Record<string, number>>> {
  return Promise.resolve(crowd?.tally() ?? {});
}

/** The peak memory of a process within a time, in bytes. */
async function watchMemory(service: ServiceProcess, forMs: number): Promise<number> {
  let max = 0;
  const end = Date.now() + forMs;
  await eventually(
    async () => (max = Math.max(max, await readMemory(service))),
    () => Date.now() >= end,
    forMs + 20_000,
  );
  return max;
}
