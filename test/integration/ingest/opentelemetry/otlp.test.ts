import { gzipSync } from 'node:zlib';
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { createSecret } from '#base/tokens';
import { countMessages, untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import {
  type OtlpRecord,
  type OtlpPoint,
  logsBody,
  metricsBody,
  tracesBody,
} from '../../../support/senders/otlp/otlp-bodies.ts';
import { type Answer, type Post, post } from '../../../support/requests/post.ts';
import { sharedCounting, usageOf } from '../../../support/stories/counting.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, sharedWorld } from '../../../support/world.ts';

const NAME = 'feature_flag.evaluation';
const PROTOBUF = 'application/x-protobuf';
const NOW = BigInt(Date.now()) * 1_000_000n;
const MS = 1_000_000n;

describe('OTLP', () => {
  const world = sharedWorld();
  const ingest = sharedCounting(world);
  after(() => world.settled());

  const sendProtobuf = (
    path: string,
    body: Uint8Array<ArrayBuffer>,
    parts: Partial<Post> = {},
  ): Promise<Answer> => post(ingest, { path, contentType: PROTOBUF, body, ...parts });

  it('counts records, span events and points of both encodings, and answers 200', async () => {
    const logs = logsBody([{ resource: resourceOf(), records: [yes('both'), no('both')] }]);
    const traces = tracesBody([{ resource: resourceOf(), spans: [[yes('both')]] }]);
    const metrics = metricsOf([{ time: NOW, attributes: { key: 'both', variant: 'on' }, int: 40n }]);
    const bodies = { '/v1/logs': logs, '/v1/traces': traces, '/v1/metrics': metrics };
    for (const [path, { protobuf, json }] of Object.entries(bodies)) {
      const zipped = await sendProtobuf(path, new Uint8Array(gzipSync(protobuf)), {
        headers: { 'content-encoding': 'gzip' },
        authorization: `Bearer ${CLIENT_TOKEN}`,
      });
      expect([zipped.status, zipped.headers.get('content-type'), zipped.text]).to.deep.equal([
        200,
        PROTOBUF,
        '',
      ]);
      const text = await post(ingest, { path, body: json });
      expect([text.status, text.headers.get('content-type'), text.text]).to.deep.equal([
        200,
        'application/json',
        '{}',
      ]);
    }
    await untilCounted(world);
    // The key of the points has a variant only, and is on.
    expect(await usageOf(world, 'both')).to.deep.equal({ yes: 2 * (1 + 1 + 40), no: 2, reports: 2 * 4 });
    const places = await world.query(
      `select distinct app_name, environment from usage_by_hour where feature_name = 'both'`,
    );
    expect(places).to.deep.equal([{ app_name: 'shop', environment: 'production' }]);
  });

  it('reports what it refuses, and counts the rest', async () => {
    const nameless = metricsOf([{ time: NOW, attributes: { key: 'refused' }, int: 5n }], 2);
    const { status, text } = await post(ingest, { path: '/v1/metrics', body: nameless.json });
    expect(status).to.equal(200);
    expect(JSON.parse(text)).to.deep.equal({
      partialSuccess: {
        rejectedDataPoints: '1',
        errorMessage: '1 of 1 evaluations are not counted. no_instance: 1 (metric: feature_flag.evaluations)',
      },
    });
    const mixed = logsBody([{ resource: resourceOf(), records: [yes('refused'), yes(''), yes('')] }]);
    const answer = await fetch(`${ingest.url}/v1/logs`, {
      method: 'POST',
      body: mixed.protobuf,
      headers: { authorization: CLIENT_TOKEN, 'content-type': PROTOBUF },
    });
    const response = ProtobufLogsSerializer.deserializeResponse(new Uint8Array(await answer.arrayBuffer()));
    expect(response).to.deep.equal({
      partialSuccess: {
        rejectedLogRecords: 2,
        errorMessage: '2 of 3 evaluations are not counted. empty_name: 2 (featureName: (empty))',
      },
    });
    const { total } = await world.settled();
    expect(total.received).to.equal(total.counted + total.refused + total.duplicate + total.dead);
    expect(await usageOf(world, 'refused')).to.include({ yes: 1 });
    const rows = await world.query(
      `select reason, toUInt32(sum(r.count)) as refused from refusals as r group by reason order by reason`,
    );
    expect(rows).to.deep.include.members([
      { reason: 'empty_name', refused: 2 },
      { reason: 'no_instance', refused: 1 },
    ]);
  });

  it('stores provider, reason and error type, by hour and by day', async () => {
    const attributes = { 'feature_flag.key': 'why', 'feature_flag.provider.name': 'flagd' };
    const records = [
      { time: NOW, name: NAME, attributes: { ...attributes, 'feature_flag.result.reason': 'static' } },
      { time: NOW, name: NAME, attributes: { ...attributes, 'error.type': 'flag_not_found' } },
      { time: NOW, name: NAME, attributes: { 'feature_flag.key': 'why' } },
    ];
    const point = { time: NOW, int: 5n, attributes: { key: 'why', provider_name: 'flagd' } };
    await sendProtobuf('/v1/logs', logsBody([{ resource: resourceOf(), records }]).protobuf);
    await sendProtobuf('/v1/metrics', metricsOf([{ ...point, start: NOW - MS }], 2, 'one').protobuf);
    await untilCounted(world);
    for (const view of ['reasons_by_hour', 'reasons_by_day'])
      expect(
        await world.query(
          `select provider, reason, error_type, toUInt32(sum(r.evaluations)) as evaluations
           from ${view} as r
           where feature_name = 'why'
           group by all
           order by all`,
        ),
      ).to.deep.equal([
        { provider: '', reason: 'unknown', error_type: '', evaluations: 1 },
        { provider: 'flagd', reason: 'error', error_type: 'flag_not_found', evaluations: 1 },
        { provider: 'flagd', reason: 'static', error_type: '', evaluations: 1 },
        { provider: 'flagd', reason: 'unknown', error_type: '', evaluations: 5 },
      ]);
  });

  it('counts as no what the token says', async () => {
    const secret = createSecret([], 'production');
    const scope = { type: 'client', environment: 'production', projects: [], expiresAt: undefined } as const;
    await createTokens(world.db).create({ secret, name: 'own', ...scope, notEnabledReasons: ['stale'] });
    const records = ['stale', 'default', 'default'].map((reason) => ({
      time: NOW,
      name: NAME,
      attributes: {
        'feature_flag.key': 'of-reason',
        'feature_flag.result.value': 'blue',
        'feature_flag.result.reason': reason,
      },
    }));
    const { protobuf } = logsBody([{ resource: resourceOf(), records }]);
    const { status } = await sendProtobuf('/v1/logs', protobuf, { authorization: secret });
    expect(status).to.equal(200);
    await untilCounted(world);
    expect(await usageOf(world, 'of-reason')).to.include({ yes: 2, no: 1 });
  });

  it('counts the same bytes once if an instance sent them', async () => {
    const records = [yes('repeated'), { ...yes('repeated'), time: NOW + MS }];
    const named = logsBody([{ resource: resourceOf('one'), records }]);
    for (let i = 0; i < 3; i += 1)
      expect((await sendProtobuf('/v1/logs', named.protobuf)).status).to.equal(200);
    const nameless = logsBody([{ resource: resourceOf(), records: [yes('honest')] }]);
    for (let i = 0; i < 3; i += 1) await sendProtobuf('/v1/logs', nameless.protobuf);
    const { total } = await world.settled();
    expect(total.duplicate).to.equal(4);
    expect(await usageOf(world, 'repeated')).to.include({ yes: 2 });
    expect(await usageOf(world, 'honest')).to.include({ yes: 3 });
  });

  it('counts the differences of cumulative points, in one partition whatever sent them', async () => {
    const counter = (int: bigint, time: bigint, attributes: OtlpPoint['attributes'] = {}) =>
      metricsOf(
        [{ start: NOW - MS, time, int, attributes: { ...yes('added-up').attributes, ...attributes } }],
        2,
        'one',
      );
    const bodies = [counter(5n, NOW), counter(7n, NOW + MS), counter(5n, NOW), counter(7n, NOW + 2n * MS)];
    bodies.push(counter(9n, NOW + 2n * MS, { other: true }));
    for (const { protobuf } of bodies)
      expect((await sendProtobuf('/v1/metrics', protobuf)).text).to.equal('');
    await untilCounted(world);
    expect(
      (await post(ingest, { path: '/v1/metrics', body: counter(8n, NOW + 3n * MS).json })).text,
    ).to.equal('{}');
    await untilCounted(world);
    expect(await usageOf(world, 'added-up')).to.deep.equal({ yes: 7 + 9 + 1, no: 0, reports: 4 });
    const partitions = await world.query('select distinct partition from counter_states');
    expect(partitions).to.deep.equal([{ partition: 0 }]);
  });

  it('ignores what holds no evaluation, without a message', async () => {
    const before = await countMessages(world);
    const other = logsBody([{ resource: resourceOf(), records: [{ time: NOW, name: 'exception' }] }]);
    expect((await sendProtobuf('/v1/logs', other.protobuf)).status).to.equal(200);
    expect((await sendProtobuf('/v1/traces', tracesBody([{ spans: [[]] }]).protobuf)).status).to.equal(200);
    expect((await sendProtobuf('/v1/metrics', new Uint8Array())).status).to.equal(200);
    expect(await countMessages(world)).to.deep.equal(before);
    const { text } = await post(ingest, { method: 'GET', path: '/internal-backstage/prometheus' });
    expect(text).to.include('flagmeter_ingest_otlp_ignored_total{signal="logs"} 1');
    expect(text).to.include('flagmeter_ingest_otlp_ignored_total{signal="traces"} 1');
  });

  it('registers applications with instance and SDK', async () => {
    const { rows } = await world.db.query<{ instance_id: string; sdk_version: string }>(
      `select instance_id, sdk_version from client_instances where app_name = 'shop' order by instance_id`,
    );
    expect(rows).to.deep.equal([
      { instance_id: 'default', sdk_version: 'opentelemetry-nodejs:2.12.1' },
      { instance_id: 'one', sdk_version: 'opentelemetry-nodejs:2.12.1' },
    ]);
  });

  const bad: readonly (readonly [string, Partial<Post>, number, string])[] = [
    ['bytes that are no protobuf', { contentType: PROTOBUF, body: 'nonsense' }, 400, 'not protobuf'],
    ['JSON of another form', { body: '{"resourceLogs": 5}' }, 400, 'not JSON of this message'],
    ['text that is no JSON', { body: '{' }, 400, 'not valid JSON'],
    ['no token', { authorization: '' }, 401, 'Send an API token'],
    ['a token of browsers', { authorization: FRONTEND_TOKEN }, 403, 'permission'],
    ['a body above the limit', { body: ' '.repeat(1_048_577) }, 413, '1048576'],
    ['another content type', { contentType: 'text/plain' }, 415, 'application/x-protobuf'],
    ['an unknown encoding', { headers: { 'content-encoding': 'zstd' } }, 415, 'gzip'],
  ];
  for (const [what, parts, status, message] of bad)
    it(`answers ${what} with ${status}`, async () => {
      const answer = await post(ingest, { path: '/v1/logs', body: '{}', ...parts });
      expect(answer.status).to.equal(status);
      expect(answer.text).to.include(message);
      const isProtobuf = parts.contentType === PROTOBUF;
      expect(answer.headers.get('content-type')).to.equal(isProtobuf ? PROTOBUF : 'application/json');
    });

  it('answers 413 instead of a message that Kafka would reject', async () => {
    const records = Array.from({ length: 3300 }, (_, index) => yes(`${'"'.repeat(200)}${index}`));
    const { protobuf } = logsBody([{ resource: resourceOf(), records }]);
    expect(protobuf.length).to.be.lessThan(1_048_576);
    const { status, text } = await sendProtobuf('/v1/logs', protobuf);
    expect([status, text.includes('too many different names')]).to.deep.equal([413, true]);
  });
});

function resourceOf(instance?: string) {
  return {
    'service.name': 'shop',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '2.12.1',
    ...(instance === undefined ? {} : { 'service.instance.id': instance }),
  };
}

function yes(feature: string): OtlpRecord {
  const attributes = { 'feature_flag.key': feature, 'feature_flag.result.value': true };
  return { time: NOW, name: NAME, attributes };
}

function no(feature: string): OtlpRecord {
  const attributes = { 'feature_flag.key': feature, 'feature_flag.result.value': false };
  return { time: NOW, name: NAME, attributes };
}

function metricsOf(points: readonly OtlpPoint[], temporality = 1, instance?: string) {
  const metric = { name: 'feature_flag.evaluations', kind: 'sum', temporality, isMonotonic: true } as const;
  return metricsBody([{ resource: resourceOf(instance), metrics: [{ ...metric, points }] }]);
}
