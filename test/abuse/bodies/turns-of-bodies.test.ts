import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { aCounter, aMetric } from '../../support/builders/builders.ts';
import { someByDay } from '../../support/nightly.ts';
import { type Encoded, logsBody, metricsBody, tracesBody } from '../../support/senders/otlp/otlp-bodies.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { OTHER_CLIENT_TOKEN } from '../../support/world.ts';

const CONNECTIONS = 8;
/** Of the other token, while the attack lasts. */
const BATCHES = 25;
/** What is worked on in one piece: to parse 1 MiB of JSON, and to collect its garbage. In one go, a body took 400 ms and more. */
const LONGEST_TURN_MS = 120;
const NOW = BigInt(Date.now()) * 1_000_000n;

describe('bodies that take as long as they may', () => {
  const attacked = attackedIngest();

  for (const [what, attacks] of someByDay(longestBodies(), 1 / 3))
    it(`of ${what} leave turns of the event loop to others`, async () => {
      const { ingest } = attacked;
      const attack = async ({ path, contentType, body }: Attack): Promise<number> => {
        const headers = { 'content-encoding': 'gzip' };
        const sent = { path, contentType, headers, body: new Uint8Array(body) };
        return (await post(ingest, { ...sent, authorization: OTHER_CLIENT_TOKEN })).status;
      };
      // Compiles the code.
      for (const one of attacks) await attack(one);
      ingest.watchTurns();
      let isOver = false;
      const attackers = Array.from({ length: CONNECTIONS }, async () => {
        const statuses = new Set<number>();
        while (!isOver) for (const one of attacks) statuses.add(await attack(one));
        return [...statuses];
      });
      const answers = new Set<string>();
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const relay = await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
        const health = await fetch(`${ingest.url}/health`);
        answers.add(`${relay.status} ${health.status}`);
      }
      isOver = true;
      const statuses = (await Promise.all(attackers)).flat();
      const { longestTurnsMs } = await ingest.readUsage();

      expect([...answers]).to.deep.equal(['202 200']);
      expect(statuses).to.include(what.startsWith('OpenTelemetry') ? 200 : 202);
      expect(longestTurnsMs[0]).to.be.lessThan(LONGEST_TURN_MS);
    });
});

type Attack = { readonly path: string; readonly contentType: string; readonly body: Buffer };

function longestBodies(): readonly (readonly [what: string, attacks: readonly Attack[]])[] {
  return [
    ['OpenTelemetry in protobuf', ofOtlp(9000).map(([path, body]) => inProtobuf(path, body))],
    ['OpenTelemetry in JSON', ofOtlp(3000).map(([path, { json }]) => inJson(path, json))],
    ['relays and SDKs', ofRelays().map(([path, body]) => inJson(path, JSON.stringify(body)))],
  ];
}

/** As many evaluations as fit, each of another flag or application. */
function ofOtlp(many: number): readonly (readonly [path: string, body: Encoded])[] {
  const records = numbers(many).map((index) => ({
    time: NOW,
    name: 'feature_flag',
    attributes: { key: `flag-${index}`, variant: `variant-${index % 100}` },
  }));
  const points = numbers(many).map((index) => ({
    start: NOW - 1_000_000n,
    time: NOW,
    int: 5n,
    attributes: { 'feature_flag.key': `flag-${index}`, 'feature_flag.result.variant': 'on' },
  }));
  const counter = { kind: 'sum', temporality: 2, isMonotonic: true } as const;
  const metrics = [{ name: 'feature_flag.evaluations', ...counter, points }];
  const ofApplications = records.map((record, index) => ({
    resource: { 'service.name': `app-${index}` },
    records: [record],
  }));
  return [
    ['/v1/logs', logsBody([{ records }])],
    ['/v1/traces', tracesBody([{ spans: [records] }])],
    ['/v1/metrics', metricsBody([{ resource: { 'service.instance.id': 'one' }, metrics }])],
    ['/v1/logs', logsBody(ofApplications)],
  ];
}

/** Bodies of 100 kB that take longest for their path. */
function ofRelays(): readonly (readonly [path: string, body: unknown])[] {
  const nothing = { applications: [], metrics: [] };
  const empty = numbers(33_000).map(() => ({}));
  const applications = numbers(6000).map(() => ({ appName: 'a' }));
  // The fast path reads no unknown members.
  const metrics = numbers(600).map((index) => ({ extra: 1, ...aMetric({ featureName: `flag-${index}` }) }));
  return [
    ['/edge/metrics', { ...nothing, impactMetrics: [{ ...aCounter(), samples: empty }] }],
    ['/edge/metrics', { ...nothing, applications }],
    ['/api/client/metrics/bulk', { ...nothing, metrics }],
    ['/api/client/metrics', { appName: 'a', impactMetrics: empty }],
    ['/api/client/register', { appName: 'a', strategies: numbers(10_000).map(String) }],
  ];
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function inProtobuf(path: string, { protobuf }: Encoded): Attack {
  return { path, contentType: 'application/x-protobuf', body: gzipSync(protobuf) };
}

function inJson(path: string, json: string): Attack {
  return { path, contentType: 'application/json', body: gzipSync(json) };
}
