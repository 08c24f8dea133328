import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Metric } from '#core/counting';
import { countMessages, untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { type Post, aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { openRawConnection, rawHead } from '../../support/requests/raw-http.ts';
import { sharedCounting, usageOf } from '../../support/stories/counting.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, sharedWorld } from '../../support/world.ts';

/** Headers of an Edge (docs/develop/unleash.md#pushes-of-edge). */
const EDGE = {
  'user-agent': 'unleash-edge-20.1.0',
  'unleash-appname': 'unleash-edge',
  'unleash-instanceid': '01K3EDGE0000000000000000AA',
  'unleash-connection-id': '01K3EDGE0000000000000000AA',
} as const;
const OTHER_EDGE = { ...EDGE, 'unleash-connection-id': '01K3EDGE0000000000000000BB' };

/** An Edge from before connection ids. */
const OLD_EDGE = {
  'user-agent': 'unleash-edge-16.0.0',
  'unleash-appname': 'relay',
  'unleash-instanceid': 'one',
} as const;

/** It sends the headers of an SDK. */
const FORWARDER = { ...EDGE, 'user-agent': 'forwarder/1.0' } as const;

const HOUR = 3_600_000;
/** The time of the metric: a moment, and its hour. */
const MOMENT = Math.floor(Date.now() / HOUR) * HOUR + 1;
const THE_HOUR = new Date(MOMENT - 1).toISOString();

type Pair = {
  readonly title: string;
  readonly first: Partial<Post>;
  readonly second: Partial<Post>;
  /** How often the one yes of the metric counts. */
  readonly counted: number;
  /** Timestamp of the metric; by default an exact moment. */
  readonly timestamp?: string | null;
};

/** Pairs of requests with the same body. */
const PAIRS: readonly Pair[] = [
  {
    title: 'by the same connection counts once',
    first: { headers: EDGE },
    second: { headers: EDGE },
    counted: 1,
  },
  {
    title: 'by the same connection at the other path counts once',
    first: { headers: EDGE },
    second: { headers: EDGE, path: '/api/client/metrics/bulk' },
    counted: 1,
  },
  {
    title: 'by two connections counts twice',
    first: { headers: EDGE },
    second: { headers: OTHER_EDGE },
    counted: 2,
  },
  {
    title: 'by an old Edge counts once',
    first: { headers: OLD_EDGE },
    second: { headers: OLD_EDGE },
    counted: 1,
  },
  {
    title: 'by two old Edges counts twice',
    first: { headers: OLD_EDGE },
    second: { headers: { ...OLD_EDGE, 'unleash-instanceid': 'two' } },
    counted: 2,
  },
  {
    title: 'by Edges that name only their application counts twice',
    first: { headers: { ...OLD_EDGE, 'unleash-instanceid': '' } },
    second: { headers: { ...OLD_EDGE, 'unleash-instanceid': '' } },
    counted: 2,
  },
  {
    title: 'without a timestamp counts twice, also by an Edge',
    first: { headers: EDGE },
    second: { headers: EDGE },
    counted: 2,
    timestamp: null,
  },
  {
    title: 'of whole hours counts twice, also by an Edge',
    first: { headers: EDGE },
    second: { headers: EDGE },
    counted: 2,
    timestamp: THE_HOUR,
  },
  {
    title: 'by another forwarder counts twice, whatever its headers',
    first: { headers: FORWARDER },
    second: { headers: FORWARDER },
    counted: 2,
  },
  {
    title: 'by another forwarder with an idempotency key counts once',
    first: { headers: { ...FORWARDER, 'idempotency-key': 'k-0' } },
    second: { headers: { ...FORWARDER, 'idempotency-key': 'k-0' } },
    counted: 1,
    timestamp: null,
  },
  {
    title: 'by an Edge with two idempotency keys counts twice',
    first: { headers: { ...EDGE, 'idempotency-key': 'k-1' } },
    second: { headers: { ...EDGE, 'idempotency-key': 'k-2' } },
    counted: 2,
  },
  { title: 'by senders without a name counts twice', first: {}, second: {}, counted: 2 },
  {
    title: 'with one idempotency key counts once',
    first: { headers: { 'idempotency-key': 'k-1' } },
    second: { headers: { 'idempotency-key': 'k-1' } },
    counted: 1,
  },
  {
    title: 'with two idempotency keys counts twice',
    first: { headers: { 'idempotency-key': 'k-1' } },
    second: { headers: { 'idempotency-key': 'k-2' } },
    counted: 2,
  },
  {
    title: 'with two tokens counts twice',
    first: { headers: EDGE, authorization: CLIENT_TOKEN },
    second: { headers: EDGE, authorization: ADMIN_TOKEN },
    counted: 2,
  },
  {
    title: 'with and without Bearer counts once',
    first: { headers: EDGE, authorization: CLIENT_TOKEN },
    second: { headers: EDGE, authorization: `Bearer ${CLIENT_TOKEN}` },
    counted: 1,
  },
];

describe('a repeated body', () => {
  const world = sharedWorld();
  const ingest = sharedCounting(world);
  before(async () => {
    for (const { title, first, second, ...members } of PAIRS) {
      const body = bodyOfOne(title, 'timestamp' in members ? { timestamp: members.timestamp } : {});
      expect((await post(ingest, { ...first, body })).status).to.equal(202);
      expect((await post(ingest, { ...second, body })).status).to.equal(202);
    }
    await untilCounted(world);
  });
  after(() => world.settled());

  for (const { title, counted } of PAIRS) {
    it(title, async () => {
      expect(await usageOf(world, title)).to.deep.equal({ yes: counted, no: 0, reports: counted });
    });
  }

  it('is recognised when it comes compressed', async () => {
    const body = bodyOfOne('compressed');
    const headers = { ...EDGE, 'content-encoding': 'gzip' };
    expect((await post(ingest, { headers: EDGE, body })).status).to.equal(202);
    expect((await post(ingest, { headers, body: gzipSync(body) })).status).to.equal(202);
    await untilCounted(world);
    expect(await usageOf(world, 'compressed')).to.include({ yes: 1 });
  });

  it('is recognised while the first is still in flight, and each gets a 202', async () => {
    const request = { headers: EDGE, body: bodyOfOne('in flight') };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(ingest, request)));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from(answers, () => 202));
    await untilCounted(world);
    expect(await usageOf(world, 'in flight')).to.deep.equal({ yes: 1, no: 0, reports: 1 });
  });

  it('is not stored again while the first is still in flight', async () => {
    const before = await countMessages(world);
    const body = bodyOfOne('at once');
    const headers = { ...EDGE, Authorization: CLIENT_TOKEN, 'Content-Type': 'application/json' };
    const request =
      rawHead('/edge/metrics', { ...headers, 'Content-Length': Buffer.byteLength(body) }) + body;
    const connections = await Promise.all([1, 2, 3].map(() => openRawConnection(ingest.url)));
    for (const connection of connections) {
      await connection.write('GET /health HTTP/1.1\r\nHost: test\r\n\r\n');
      await connection.answer();
    }
    // In one turn of the event loop: ingest reads all before Kafka can answer the first.
    await Promise.all(connections.map((connection) => connection.write(request)));
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    for (const connection of connections) connection.cut();
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202]);
    expect(await countMessages(world)).to.equal(before + 1);
  });

  it('is recognised after other batches of its sender', async () => {
    const batches = ['one', 'two', 'three', 'one', 'two', 'three'];
    for (const feature of batches) {
      expect((await post(ingest, { headers: EDGE, body: bodyOfOne(feature) })).status).to.equal(202);
    }
    await untilCounted(world);
    const usages = await Promise.all(['one', 'two', 'three'].map((feature) => usageOf(world, feature)));
    expect(usages.map(({ yes }) => yes)).to.deep.equal([1, 1, 1]);
  });

  it('that a forwarder posts repeatedly counts each time, on both parsing paths', async () => {
    const usual = bodyOf({ metrics: [aFreshMetric({ featureName: 'constant', yes: 1 })] });
    const general = JSON.stringify(JSON.parse(usual), null, 2);
    for (const body of [usual, general, usual, general])
      for (const headers of [EDGE, FORWARDER]) await post(ingest, { headers, body });
    await untilCounted(world);
    expect(await usageOf(world, 'constant')).to.deep.equal({ yes: 8, no: 0, reports: 8 });
  });

  it('with an exact time counts once even in an unusual form', async () => {
    const body = JSON.stringify(JSON.parse(bodyOfOne('unusual')), null, 2);
    await post(ingest, { headers: EDGE, body });
    await post(ingest, { headers: EDGE, body });
    await untilCounted(world);
    expect(await usageOf(world, 'unusual')).to.deep.equal({ yes: 1, no: 0, reports: 1 });
  });

  it('is another body when one count differs', async () => {
    const [one, two] = [bodyOfOne('grown'), bodyOfOne('grown', { yes: 2 })];
    expect((await post(ingest, { headers: EDGE, body: one })).status).to.equal(202);
    expect((await post(ingest, { headers: EDGE, body: two })).status).to.equal(202);
    await untilCounted(world);
    expect(await usageOf(world, 'grown')).to.deep.equal({ yes: 3, no: 0, reports: 2 });
  });

  it('appears in the accounting as a duplicate', async () => {
    const { total: before } = await world.settled();
    const metric = aFreshMetric({ appName: 'booked', timestamp: new Date(MOMENT).toISOString() });
    const body = bodyOf({ metrics: [metric, metric, metric, metric] });
    await post(ingest, { headers: EDGE, body });
    await untilCounted(world);
    await post(ingest, { headers: EDGE, body });
    const { total } = await world.settled();
    expect(total.received - before.received).to.equal(8);
    expect(total.counted - before.counted).to.equal(4);
    expect(total.duplicate - before.duplicate).to.equal(4);
  });
});

function bodyOfOne(featureName: string, members: Partial<Metric> = {}): string {
  const timestamp = new Date(MOMENT).toISOString();
  return bodyOf({ metrics: [aFreshMetric({ featureName, yes: 1, timestamp, ...members })] });
}
