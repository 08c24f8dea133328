import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { countMessages, untilCounted } from '../../../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../../../support/eventually.ts';
import { type Post, post, problemOf } from '../../../../support/requests/post.ts';
import { sharedCounting, usageOf } from '../../../../support/stories/counting.ts';
import { ADMIN_TOKEN, FRONTEND_TOKEN, OTHER_CLIENT_TOKEN, sharedWorld } from '../../../../support/world.ts';

const PATH = '/api/client/metrics';
const MINUTE_MS = 60_000;

type Toggles = Record<string, Record<string, unknown>>;

/** A bucket of the minute before now, as an SDK posts it. */
function aReport(toggles: Toggles, members: Record<string, unknown> = {}): Record<string, unknown> {
  const now = Date.now();
  const [start, stop] = [now - MINUTE_MS, now].map((at) => new Date(at).toISOString());
  return { appName: 'web-shop', instanceId: 'shop-1', bucket: { start, stop, toggles }, ...members };
}

/** Requests that are rejected: nothing of them is stored. */
const REJECTED: readonly { title: string; status: number; name: string; request: Partial<Post> }[] = [
  { title: 'no token', status: 401, name: 'AuthenticationRequired', request: { authorization: '' } },
  {
    title: 'an unknown token',
    status: 401,
    name: 'AuthenticationRequired',
    request: { authorization: '*:production.unknown' },
  },
  {
    title: 'a frontend token',
    status: 403,
    name: 'NoAccessError',
    request: { authorization: FRONTEND_TOKEN },
  },
  { title: 'PUT', status: 405, name: 'MethodNotAllowed', request: { method: 'PUT' } },
  { title: 'GET', status: 405, name: 'MethodNotAllowed', request: { method: 'GET' } },
  {
    title: 'a body over the limit',
    status: 413,
    name: 'ContentTooLarge',
    request: { body: ' '.repeat(102_401) },
  },
  {
    title: 'a bomb',
    status: 413,
    name: 'ContentTooLarge',
    request: { body: gzipSync(Buffer.alloc(1_000_000)), headers: { 'content-encoding': 'gzip' } },
  },
  { title: 'text', status: 415, name: 'ContentTypeerror', request: { contentType: 'text/plain' } },
  ...[
    { title: 'no JSON', body: '{' },
    { title: 'an array', body: '[]' },
    { title: 'no application', body: '{"bucket":null}' },
    { title: 'an application that is a list', body: '{"appName":[]}' },
    { title: 'a bucket that is an array', body: '{"appName":"a","bucket":[]}' },
    { title: 'a bucket without toggles', body: '{"appName":"a","bucket":{}}' },
    { title: 'toggles that are an array', body: '{"appName":"a","bucket":{"toggles":[]}}' },
    { title: 'a toggle that is null', body: '{"appName":"a","bucket":{"toggles":{"f":null}}}' },
    { title: 'a negative count', body: '{"appName":"a","bucket":{"toggles":{"f":{"yes":-1}}}}' },
    { title: 'a fractional count', body: '{"appName":"a","bucket":{"toggles":{"f":{"no":1.5}}}}' },
    { title: 'a count that is empty', body: '{"appName":"a","bucket":{"toggles":{"f":{"yes":""}}}}' },
    {
      title: 'a count of a variant that is a word',
      body: '{"appName":"a","bucket":{"toggles":{"f":{"variants":{"v":"many"}}}}}',
    },
    { title: 'an end on 30 February', body: withStop('"2026-02-30T10:00:00Z"') },
    { title: 'an end without seconds', body: withStop('"2026-02-20T10:00Z"') },
  ].map(({ title, body }) => ({ title, status: 400, name: 'ValidationError', request: { body } })),
];

function withStop(stop: string): string {
  return `{"appName":"a","bucket":{"toggles":{},"stop":${stop}}}`;
}

describe('the metrics of one SDK', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  after(() => world.settled());

  async function report(body: unknown, request: Partial<Post> = {}): Promise<void> {
    const answer = await post(ingest, { path: PATH, body: JSON.stringify(body), ...request });
    expect(answer.status).to.equal(202);
    expect(answer.text).to.equal('');
  }

  for (const { title, status, name, request } of REJECTED) {
    it(`are rejected with ${status} for ${title}`, async () => {
      const answer = await post(ingest, { path: PATH, body: JSON.stringify(aReport({})), ...request });
      expect(answer.status).to.equal(status);
      expect(problemOf(answer).name).to.equal(name);
    });
  }

  it('are not stored if they are rejected', async () => {
    expect(await countMessages(world)).to.equal(0);
  });

  it('get the same answer to OPTIONS as those of a relay', async () => {
    const [answer, other] = await Promise.all([
      post(ingest, { path: PATH, method: 'OPTIONS' }),
      post(ingest, { method: 'OPTIONS' }),
    ]);
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([
      other.status,
      other.headers.get('allow'),
    ]);
  });

  it('are counted in the environment of the token, at the end of the bucket', async () => {
    const toggles = { basket: { yes: 3, no: 1, variants: { blue: 2, red: 1 } }, __proto__x: { yes: 1 } };
    const start = new Date(Date.now() - 48 * 3_600_000).toISOString();
    const stop = new Date(Date.now() - 24 * 3_600_000).toISOString();
    const body = { ...aReport({}), environment: 'development', bucket: { start, stop, toggles } };
    await report(body);
    await untilCounted(world);
    const hour = `${stop.slice(0, 13).replace('T', ' ')}:00:00`;
    expect(
      await world.query(
        `select toString(hour) as hour, environment, app_name, yes, no
         from usage_by_hour
         where feature_name = 'basket'`,
      ),
    ).to.deep.equal([{ hour, environment: 'production', app_name: 'web-shop', yes: '3', no: '1' }]);
    expect(
      await world.query(
        `select variant, toUInt32(count) as count
         from variants_by_hour
         where feature_name = 'basket'
         order by variant`,
      ),
    ).to.deep.equal([
      { variant: 'blue', count: 2 },
      { variant: 'red', count: 1 },
    ]);
  });

  it('are counted in the environment that the SDK names if the token is for all', async () => {
    const named = aReport({ 'of-staging': { yes: 1 } }, { environment: 'staging' });
    await report(named, { authorization: ADMIN_TOKEN });
    await report(aReport({ 'of-default': { yes: 1 } }), { authorization: ADMIN_TOKEN });
    await untilCounted(world);
    const rows = await world.query(
      `select feature_name, environment from usage_by_hour where startsWith(feature_name, 'of-') order by 1`,
    );
    expect(rows).to.deep.equal([
      { feature_name: 'of-default', environment: 'default' },
      { feature_name: 'of-staging', environment: 'staging' },
    ]);
  });

  it('may have null for unknown values, and unknown members', async () => {
    const toggles = { nulls: { yes: null, no: 2, variants: null, tomorrow: 1 } };
    await report({
      appName: 'nulls',
      instanceId: null,
      environment: null,
      sdkVersion: null,
      impactMetrics: [],
      bucket: { start: null, stop: null, toggles },
    });
    await untilCounted(world);
    expect(await usageOf(world, 'nulls')).to.deep.equal({ yes: 0, no: 2, reports: 1 });
  });

  for (const [title, body] of [
    ['without a bucket', { appName: 'empty-handed' }],
    ['with a bucket that is null', { appName: 'empty-handed', bucket: null }],
    ['with an empty bucket', { appName: 'empty-handed', bucket: { toggles: {} } }],
  ] as const) {
    it(`are accepted ${title}`, () => report(body));
  }

  it('show that the instance is alive', async () => {
    await report(aReport({}, { appName: 'alive', instanceId: 'one', sdkVersion: 'node:6' }));
    const rows = await eventually(
      async () =>
        (
          await world.db.query<Record<string, unknown>>(
            `select environment, instance_id, sdk_version from client_instances where app_name = 'alive'`,
          )
        ).rows,
      (found) => found.length === 1,
    );
    expect(rows).to.deep.equal([{ environment: 'production', instance_id: 'one', sdk_version: 'node:6' }]);
  });

  it('are refused one by one with a reason, and the others are counted', async () => {
    const { total: before } = await world.settled();
    await report(aReport({ fine: { yes: 1 }, '': { yes: 1 }, ['x'.repeat(256)]: { yes: 1 } }));
    const old = new Date(Date.now() - 40 * 24 * 3_600_000).toISOString();
    await report(aReport({}, { bucket: { start: old, stop: old, toggles: { old: { yes: 1 } } } }));
    const { total } = await world.settled();
    expect(total.received - before.received).to.equal(4);
    expect(total.counted - before.counted).to.equal(1);
    expect(total.refused - before.refused).to.equal(3);
    const reasons = await world.query<{ reason: string }>(
      `select distinct reason from refusals where kind = 'metric' order by reason`,
    );
    expect(reasons.map(({ reason }) => reason)).to.deep.equal(['empty_name', 'name_too_long', 'too_old']);
  });

  const SDK = { 'unleash-appname': 'web-shop', 'unleash-instanceid': 'shop-1' };
  for (const { title, headers, counted } of [
    { title: 'of one instance count once', headers: [SDK, SDK], counted: 1 },
    {
      title: 'of two instances count twice',
      headers: [SDK, { ...SDK, 'unleash-instanceid': 'shop-2' }],
      counted: 2,
    },
    { title: 'of unnamed senders count twice', headers: [{}, {}], counted: 2 },
  ]) {
    it(`sent twice with the same bytes ${title}`, async () => {
      const body = aReport({ [title]: { yes: 1 } });
      for (const own of headers) await report(body, { headers: own });
      await untilCounted(world);
      expect(await usageOf(world, title)).to.include({ yes: counted });
    });
  }

  it('with equal counts in the next bucket count again', async () => {
    const first = aReport({ steady: { yes: 1 } });
    const second = aReport({ steady: { yes: 1 } });
    second['bucket'] = { ...(second['bucket'] as object), stop: new Date(Date.now() + 15_000).toISOString() };
    await report(first, { headers: SDK });
    await report(second, { headers: SDK });
    await untilCounted(world);
    expect(await usageOf(world, 'steady')).to.include({ yes: 2 });
  });

  it('without the end of the bucket count each time, because a steady SDK sends equal bytes', async () => {
    const body = { appName: 'web-shop', bucket: { toggles: { endless: { yes: 1 } } } };
    await report(body, { headers: SDK });
    await report(body, { headers: SDK });
    await untilCounted(world);
    expect(await usageOf(world, 'endless')).to.include({ yes: 2 });
  });

  it('whose bucket ended with the hour count each time, because ends that are cut to hours repeat', async () => {
    const hour = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000).toISOString();
    const body = aReport({}, { bucket: { start: hour, stop: hour, toggles: { hourly: { yes: 1 } } } });
    await report(body, { headers: SDK });
    await report(body, { headers: SDK });
    await untilCounted(world);
    expect(await usageOf(world, 'hourly')).to.include({ yes: 2 });
  });

  it('of another token go to its environment', async () => {
    await report(aReport({ elsewhere: { yes: 1 } }), { authorization: OTHER_CLIENT_TOKEN });
    await untilCounted(world);
    expect(
      await world.query(`select environment from usage_by_hour where feature_name = 'elsewhere'`),
    ).to.deep.equal([{ environment: 'development' }]);
  });
});
