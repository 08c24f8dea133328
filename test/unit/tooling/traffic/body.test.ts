import { expect } from 'chai';
import { DEFAULT_REFUSAL_LIMITS, aggregateBatch, validateBatch } from '#core/counting';
import { Body, createSender } from '../../../../packages/tooling/traffic/load/bodies/body.ts';
import { createKeys } from '../../../../packages/tooling/traffic/load/bodies/keys.ts';
import { aMetric } from '../../../support/builders/builders.ts';

const space = { features: 40, apps: 3, environments: ['production', 'test'], skew: 1, seed: 7 };
const startedAt = new Date('2026-11-21T10:20:30Z');

type Content = Partial<Pick<ConstructorParameters<typeof Body>[0], 'instance' | 'measures' | 'spanMs'>>;

function createBody(rows = 20, { instance, measures = false, spanMs = 0 }: Content = {}): Body {
  const url = new URL('http://127.0.0.1:4242/edge/metrics');
  const keys = createKeys(space, rows)();
  return new Body({ url, token: '*:*.secret', keys, startedAt, seed: 7, instance, measures, spanMs });
}

/** Head and content of a request. */
function split(bytes: Buffer): { head: string; body: string } {
  const text = bytes.toString();
  const end = text.indexOf('\r\n\r\n');
  return { head: text.slice(0, end), body: text.slice(end + 4) };
}

function batchOf(bytes: Buffer) {
  const result = validateBatch(JSON.parse(split(bytes).body));
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.batch;
}

describe('Body', () => {
  it('is a valid batch without refusals, whatever its number', () => {
    const body = createBody();
    for (const sequence of [0, 1, 999, 123_456_789, 2 ** 32 + 5]) {
      body.fill(sequence, createSender());
      const receivedAt = startedAt.getTime() + 5000;
      const aggregated = aggregateBatch(batchOf(body.bytes), {
        receivedAt,
        allowedEnvironment: '*',
        limits: DEFAULT_REFUSAL_LIMITS,
      });
      expect([aggregated.received, aggregated.refusals]).to.deep.equal([20, []]);
    }
  });

  for (const instance of [undefined, 'one']) {
    it(`contains the sums that it states, ${instance === undefined ? 'without' : 'with'} an application`, () => {
      const body = createBody(20, { instance });
      for (let sequence = 0; sequence < 200; sequence += 1) {
        const stated = body.fill(sequence, createSender());
        const sums = { rows: 0, yes: 0, no: 0, variants: 0 };
        for (const { yes, no, variants } of batchOf(body.bytes).metrics) {
          sums.rows += 1;
          sums.yes += yes ?? 0;
          sums.no += no ?? 0;
          for (const count of Object.values(variants ?? {})) sums.variants += count ?? 0;
        }
        expect(stated).to.deep.equal(sums);
      }
    });
  }

  it('has variants, and never more of them than enabled evaluations', () => {
    const body = createBody(100);
    body.fill(3, createSender());
    const served = batchOf(body.bytes).metrics.map(({ yes, variants }) => ({
      yes: yes ?? 0,
      variants: Object.values(variants ?? {}).reduce<number>((sum, count) => sum + (count ?? 0), 0),
    }));
    expect(served.some(({ variants }) => variants > 0)).to.equal(true);
    expect(served.filter(({ yes, variants }) => variants > yes)).to.deep.equal([]);
  });

  it('differs with each number, even of the same sender', () => {
    const body = createBody();
    const sender = createSender();
    const texts = Array.from({ length: 2000 }, (_, sequence) => {
      body.fill(sequence, sender);
      return split(body.bytes).body;
    });
    expect(new Set(texts).size).to.equal(2000);
  });

  it('imitates Edge with an instance of the application of its first key, if it shall', () => {
    const [body, without] = [createBody(20, { instance: 'one' }), createBody()];
    for (const filled of [body, without]) filled.fill(3, createSender());
    const { applications, metrics } = batchOf(body.bytes);
    expect(applications).to.have.length(1);
    const [{ appName, environment } = aMetric()] = metrics;
    expect(applications[0]).to.include({ appName, environment, instanceId: 'one' });
    for (const metric of metrics) expect(metric).to.include({ sdkVersion: null, platformName: null });
    expect(split(body.bytes).head).to.include('\r\nuser-agent: unleash-edge-');
    expect(batchOf(without.bytes).applications).to.deep.equal([]);
  });

  it('has impact metrics of its first key, if it shall', () => {
    const [body, without] = [createBody(20, { measures: true }), createBody()];
    for (const filled of [body, without]) filled.fill(3, createSender());
    const { metrics } = batchOf(body.bytes);
    const { impactMetrics } = JSON.parse(split(body.bytes).body) as {
      impactMetrics: { type: string; samples: { labels: object }[] }[];
    };
    expect(impactMetrics.map(({ type, samples }) => [type, samples.length])).to.deep.equal([
      ['counter', 2],
      ['histogram', 2],
    ]);
    const [{ appName, featureName } = aMetric()] = metrics;
    expect(impactMetrics[0]?.samples[0]?.labels).to.include({ appName, [featureName]: 'enabled' });
    expect(split(without.bytes).body).to.not.include('impactMetrics');
  });

  it('spreads its timestamps over a time before the start', () => {
    const spanMs = 2 * 3_600_000;
    const body = createBody(100, { spanMs });
    body.fill(1, createSender());
    const hours = [0, 0];
    for (const { timestamp } of batchOf(body.bytes).metrics) {
      const ageMs = startedAt.getTime() - Math.floor(Date.parse(timestamp ?? '') / 1000) * 1000;
      expect(ageMs).to.be.within(0, spanMs + 1000);
      hours[ageMs < spanMs / 2 ? 0 : 1] = (hours[ageMs < spanMs / 2 ? 0 : 1] ?? 0) + 1;
    }
    for (const rows of hours) expect(rows).to.be.within(40, 60);
  });

  it('is equal for the same seed and number', () => {
    const sender = createSender();
    const bytes = [createBody(), createBody()].map((body) => {
      body.fill(77, sender);
      return body.bytes.toString();
    });
    expect(bytes[0]).to.equal(bytes[1]);
  });

  it('has its sender and its length in the head', () => {
    const body = createBody();
    const sender = createSender();
    body.fill(1, sender);
    const { head, body: content } = split(body.bytes);
    expect(head.endsWith(`\r\nunleash-connection-id: ${sender.toString()}`)).to.equal(true);
    expect(head).to.include(`\r\ncontent-length: ${Buffer.byteLength(content)}\r\n`);
    expect(head.startsWith('POST /edge/metrics HTTP/1.1\r\nHost: 127.0.0.1:4242\r\n')).to.equal(true);
  });
});

describe('createKeys', () => {
  it('gives every body different keys', () => {
    for (const skew of [0, 0.5, 1, 3]) {
      const next = createKeys({ ...space, skew }, 200);
      const names = Array.from({ length: 5 }, () => new Set(next().map((key) => JSON.stringify(key))).size);
      expect(names).to.deep.equal([200, 200, 200, 200, 200]);
    }
  });

  it('uses every key equally often without skew', () => {
    const next = createKeys({ ...space, skew: 0 }, 60);
    const times = new Map<string, number>();
    for (let body = 0; body < 8; body += 1) {
      for (const key of next()) times.set(JSON.stringify(key), (times.get(JSON.stringify(key)) ?? 0) + 1);
    }
    expect([times.size, new Set(times.values())]).to.deep.equal([240, new Set([2])]);
  });

  it('uses the first feature most with skew', () => {
    const next = createKeys({ ...space, skew: 1 }, 10);
    const times = new Array<number>(space.features).fill(0);
    for (let body = 0; body < 500; body += 1) {
      for (const { feature } of next()) times[feature] = (times[feature] ?? 0) + 1;
    }
    expect(Math.max(...times)).to.equal(times[0]);
    expect(times[0]).to.be.greaterThan(3 * (times[20] ?? 0));
  });

  it('rejects a body with more rows than keys', () => {
    expect(() => createKeys(space, 241)).to.throw(RangeError);
  });
});
