import { expect } from 'chai';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { logsBody, metricsBody, tracesBody } from '../../../support/senders/otlp/otlp-bodies.ts';
import { post } from '../../../support/requests/post.ts';
import { sharedCounting, usageOf } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const FEATURE = 'as-protobuf';
const NOW = BigInt(Date.now()) * 1_000_000n;

const RESOURCE = { 'service.name': 'shop' };
const attributes = { 'feature_flag.key': FEATURE, 'feature_flag.result.value': true };
const RECORD = { time: NOW, name: 'feature_flag.evaluation', attributes };
const METRIC = {
  name: 'feature_flag.evaluations',
  kind: 'sum',
  temporality: 1,
  isMonotonic: true,
  points: [{ time: NOW, attributes, int: 40n }],
} as const;

describe('JSON of OTLP as libraries of protobuf write it', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  after(() => world.settled());

  it('counts, with the names of the definition and enums by name', async () => {
    const bodies = {
      '/v1/logs': logsBody([{ resource: RESOURCE, records: [RECORD] }]),
      '/v1/traces': tracesBody([{ resource: RESOURCE, spans: [[RECORD]] }]),
      '/v1/metrics': metricsBody([{ resource: RESOURCE, metrics: [METRIC] }]),
    };
    for (const [path, { json }] of Object.entries(bodies)) {
      const body = json
        .replaceAll(/"([a-z]+[A-Z]\w*)":/g, (_, name: string) => `"${snakeOf(name)}":`)
        .replace('"aggregation_temporality":1', '"aggregation_temporality":"AGGREGATION_TEMPORALITY_DELTA"');
      expect(body).to.include('"resource_');
      const { status, text } = await post(ingest, { path, body });
      expect([status, text]).to.deep.equal([200, '{}']);
    }
    await untilCounted(world);
    expect(await usageOf(world, FEATURE)).to.include({ yes: 1 + 1 + 40, no: 0 });
  });
});

function snakeOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
