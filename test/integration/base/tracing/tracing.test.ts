import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Service, openTracing, readConfig } from '#base/runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { aggregateMetrics, encodeAggregated } from '../../../support/builders/builders.ts';
import { appendCounts } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { stackEnv } from '../../../support/stack/engines/stack-addresses.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type World, createWorld } from '../../../support/world.ts';
import { attributeOf, startOtlpReceiver } from './otlp-receiver.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SAMPLED = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const NOT_SAMPLED = '00-1bf7651916cd43dd8448eb211c80319d-b7ad6b7169203331-00';
/** A value of the enumeration SpanKind in OTLP. */
const CONSUMER = 5;

describe('tracing with OpenTelemetry', () => {
  let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
  let world: World;
  let ingest: Service;
  let worker: ServiceProcess;
  const { log, lines } = collectLog();
  before(async () => {
    receiver = await startOtlpReceiver();
    world = await createWorld({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      ADMIN_ACCESS_LOG: 'true',
      KAFKA_COUNTS_PARTITIONS: '1',
    });
    ingest = await world.run((config) => startIngest(config, log));
    worker = await world.fork('worker');
  });
  after(async () => {
    await world.dispose();
    await receiver.close();
  });

  it('leads from the caller over request and message to the block and its INSERT', async () => {
    const body = bodyOf({ metrics: [aFreshMetric({ yes: 3 })] });
    expect((await post(ingest, { body, headers: { traceparent: SAMPLED } })).status).to.equal(202);

    const request = await receiver.span(({ name }) => name === 'POST /edge/metrics');
    expect(request).to.include({
      traceId: TRACE_ID,
      parentSpanId: 'b7ad6b7169203331',
      service: 'flagmeter-ingest',
    });
    expect(attributeOf(request, 'http.response.status_code')).to.equal(202);
    const publish = await receiver.span(({ name }) => name === 'publish');
    expect(publish).to.include({ traceId: TRACE_ID, parentSpanId: request.spanId });
    const block = await receiver.span(({ name }) => name === 'store block');
    expect(block).to.include({ kind: CONSUMER, service: 'flagmeter-worker' });
    expect(block.links?.map(({ traceId, spanId }) => ({ traceId, spanId }))).to.deep.equal([
      { traceId: TRACE_ID, spanId: publish.spanId },
    ]);
    expect(attributeOf(block, 'flagmeter.metrics.counted')).to.equal(1);
    const insert = await receiver.span(({ name }) => name === 'INSERT clickhouse');
    expect(insert).to.include({ traceId: block.traceId, parentSpanId: block.spanId });
    expect((await world.settled()).total.counted).to.equal(1);
  });

  it('names the trace in the log lines of traced work', async () => {
    const traced = encodeAggregated(
      aggregateMetrics([aFreshMetric({ yes: 1 })], { receivedAt: Date.now() }),
      {
        batchId: 'beside poison',
        receivedAt: Date.now(),
        traceparent: SAMPLED.replace('b7ad', 'c7ad'),
      },
    );
    await appendCounts(world, ['poison', traced]);
    const block = await receiver.span(({ links = [] }) =>
      links.some(({ spanId }) => spanId.startsWith('c7ad')),
    );
    await world.drained();
    expect(await worker.readLog()).to.match(new RegExp(`"traceId":"${block.traceId}".*dead letter kept`));
  });

  it('follows a caller that does not sample', async () => {
    const body = () => bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });
    await post(ingest, { body: body(), headers: { traceparent: NOT_SAMPLED } });
    await post(ingest, { body: body(), headers: { traceparent: SAMPLED.replace('b7ad', 'd7ad') } });
    await receiver.span(({ parentSpanId }) => parentSpanId?.startsWith('d7ad') === true);
    expect(receiver.spans().filter(({ traceId }) => NOT_SAMPLED.includes(traceId))).to.deep.equal([]);
  });

  it('leads from a request of the admin API to its queries, without names, values and secrets', async () => {
    const admin = await world.run((config) => startAdmin(config, log));
    const api = await openApi(admin.url);
    await aFeature(api, 'secret-feature');
    await api.get('/api/admin/projects/default/features/secret-feature', {
      headers: { traceparent: SAMPLED },
    });
    const route = '/api/admin/projects/{projectId}/features/{featureName}';
    const read = await receiver.span(({ name }) => name === `GET ${route}`);
    const query = await receiver.span(
      ({ name, parentSpanId }) => name === 'SELECT postgresql' && parentSpanId === read.spanId,
    );
    expect(attributeOf(query, 'db.query.text')).to.match(/^select f\.name/);
    await api.get('/api/admin/client-metrics/features/secret-feature', { headers: { traceparent: SAMPLED } });
    const usage = await receiver.span(({ name }) => name.endsWith('/client-metrics/features/{featureName}'));
    await receiver.span(
      ({ name, parentSpanId }) => name === 'SELECT clickhouse' && parentSpanId === usage.spanId,
    );
    const line = await eventually(
      () => Promise.resolve(lines().find(({ msg, route: of }) => msg === 'admin request' && of === route)),
      (found) => found !== undefined,
    );
    expect(line?.['traceId']).to.equal(TRACE_ID);
    const sent = receiver.requests.map(({ body }) => body.toString()).join();
    for (const hidden of ['secret-feature', ADMIN_TOKEN, CLIENT_TOKEN, 'test-admin-secret'])
      expect(sent).not.to.contain(hidden);
    expect(receiver.requests[0]?.path).to.equal('/v1/traces');
    expect(receiver.requests[0]?.headers['x-key']).to.equal('a key');
    expect(sent).to.contain('deployment.environment.name');
  });

  it('logs once that the receiver rejects, and once that it accepts again, and loses no batch', async () => {
    receiver.answerWith(400);
    for (let round = 1; round <= 3; round += 1) {
      const before = receiver.requests.length;
      expect((await post(ingest, { headers: { traceparent: SAMPLED } })).status).to.equal(202);
      await eventually(
        () => Promise.resolve(receiver.requests.length),
        (count) => count > before,
      );
    }
    receiver.answerWith(200);
    await post(ingest, { headers: { traceparent: SAMPLED } });
    const messages = () => lines().map(({ msg }) => msg);
    await eventually(
      () => Promise.resolve(messages()),
      (seen) => seen.includes('traces sent again'),
    );
    expect(messages().filter((msg) => msg === 'traces not sent')).to.have.lengthOf(1);
  });
});

describe('the export of traces', () => {
  it('writes protobuf unless the settings say otherwise', async () => {
    const receiver = await startOtlpReceiver();
    const { tracing: config } = readConfig({
      ...stackEnv(),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    const tracing = await openTracing(config, 'test', collectLog().log);
    tracing?.start('written as protobuf', { kind: 'server' })?.end();
    // The end of a service waits for two seconds only.
    await eventually(
      () => Promise.resolve(receiver.requests.length),
      (sent) => sent > 0,
    );
    await tracing?.stop();
    await receiver.close();
    expect(receiver.requests.map(({ headers }) => headers['content-type'])).to.deep.equal([
      'application/x-protobuf',
    ]);
    const [{ body } = { body: Buffer.of() }] = receiver.requests;
    // ExportTraceServiceRequest.resource_spans, ResourceSpans.scope_spans, ScopeSpans.spans, Span.name
    expect(fieldOf(body, [1, 2, 2, 5]).toString()).to.equal('written as protobuf');
  });

  it('does not delay the end of a service by more than two seconds if nobody answers', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo; // it listens on a port
    const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
    const { tracing: config } = readConfig({ ...stackEnv(), OTEL_EXPORTER_OTLP_ENDPOINT });
    const { log, lines } = collectLog();
    const tracing = await openTracing(config, 'test', log);
    tracing?.start('lost', { kind: 'server' })?.end();
    await tracing?.stop();
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    expect(lines().map(({ msg }) => msg)).to.deep.equal(['sending traces', 'traces not sent']);
  });
});

/** The first field at a path of field numbers in a protobuf message, of which every step is length-delimited. */
function fieldOf(message: Buffer, [field = 0, ...inner]: readonly number[]): Buffer {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message.readUInt8(at++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    if (tag % 8 !== 2) throw new Error('a field that is not length-delimited comes before');
    const length = varint();
    const content = message.subarray(at, at + length);
    if (Math.floor(tag / 8) === field) return inner.length === 0 ? content : fieldOf(content, inner);
    at += length;
  }
  throw new Error(`there is no field ${field}`);
}
