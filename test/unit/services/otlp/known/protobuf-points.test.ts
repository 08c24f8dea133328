import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { inOneGo } from '#core/counting';
import { MAX_AT_ONCE_BYTES } from '../../../../../services/ingest/opentelemetry/read-known-points.ts';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { aggregateFound, foundIn } from '../../../../support/senders/otlp/otlp-evaluations.ts';
import { hostilePoints } from '../../../../support/senders/otlp/hostile-points.ts';
import { type OtlpPoint, metricsBody } from '../../../../support/senders/otlp/otlp-bodies.ts';
import { agreementOn, contentOf, countWays, formOf, messageOf, optionsOf, otlpIgnored } from './agreement.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;
const FIXTURES = path.join(import.meta.dirname, '../../../../fixtures/otlp');
const form = formOf('protobuf');

describe('known points of OpenTelemetry in protobuf', () => {
  it('are counted as the general path counts them, with the same message', () => {
    const ways = countWays(form, hostilePoints, 4000);
    for (const [way, count] of Object.entries(ways)) expect(count, way).to.be.greaterThan(100);
  });

  it('are read as senders write them: cut into bodies, with zeros, doubles and other metrics beside them', async () => {
    const attributes = (n: number) => ({ 'feature_flag.key': `f${n}`, 'feature_flag.result.variant': 'on' });
    const points: OtlpPoint[] = [
      { start: NOW - 1n, time: NOW, int: 0n, attributes: attributes(1) },
      { start: NOW - 1n, time: NOW, double: 12, attributes: attributes(2) },
      { start: NOW - 1n, time: NOW, int: 2n ** 53n - 1n, flags: 0, attributes: attributes(2) },
      { time: 0n, int: 5n, attributes: attributes(3) },
    ];
    const sum = { kind: 'sum', temporality: 1, isMonotonic: true } as const;
    const metrics = [
      { name: 'feature_flag.evaluation_success_total', ...sum, points },
      { name: 'feature_flag.evaluation_error_total', ...sum, points },
      { name: 'feature_flag.evaluation_requests_total', ...sum, points },
      { name: 'http.server.active_requests', kind: 'gauge', points: [] } as const,
    ];
    for (const resource of [{ 'service.name': 'shop', 'service.instance.id': 'one' }, {}])
      for (let times = 0; times < 2; times += 1)
        expect(agreementOn(form, metricsBody([{ resource, metrics }]).protobuf)).to.equal('fast');
    expect((await otlpIgnored.get()).values[0]?.value).to.be.greaterThan(0);
  });

  it('are what recorded senders write', async () => {
    const names = await readdir(FIXTURES);
    const recorded = names.filter((name) => name.endsWith('.metrics.bin'));
    for (const name of recorded) {
      const body = await readFile(path.join(FIXTURES, name));
      const receivedAt = foundIn('metrics', body).resources[0]?.found[0]?.at ?? 0;
      const options = { ...optionsOf('*'), receivedAt };
      const fast = form.readFast?.(body, options);
      expect(fast && contentOf(fast), name).to.deep.equal(contentOf(inOneGo(form.read(body, options))));
    }
    expect(recorded).to.have.lengthOf.above(5);
  });

  it('of cumulative counters are left to the worker, and are no more than a body may have', () => {
    const attributes = { 'feature_flag.key': 'basket' };
    const of = (temporality: number, count: number): Uint8Array<ArrayBuffer> => {
      const points = Array.from({ length: count }, () => ({
        start: NOW - 1n,
        time: NOW,
        int: 1n,
        attributes,
      }));
      const sum = { kind: 'sum', temporality, isMonotonic: true, points } as const;
      const resource = { 'service.instance.id': 'one' };
      return metricsBody([{ resource, metrics: [{ name: 'feature_flag.evaluations', ...sum }] }]).protobuf;
    };
    expect(agreementOn(form, of(2, 1))).to.equal('fast');
    expect(agreementOn(form, of(0, 1))).to.equal('general');
    expect(agreementOn(form, of(1, 1000))).to.equal('fast');
    const tooMany = Buffer.from(of(1, 10_001));
    expect(() => inOneGo(form.read(tooMany, optionsOf('*')))).to.throw('more than 10000 evaluations');
  });

  it('of a long body are counted alike, in steps', () => {
    const bodyOf = (count: number): Buffer => {
      const points = Array.from({ length: count }, (_, n) => ({
        time: NOW,
        int: 3n,
        attributes: { 'feature_flag.key': `feature ${n % 700}`, 'feature_flag.result.value': n % 2 === 0 },
      }));
      const sum = { kind: 'sum', temporality: 1, isMonotonic: true, points } as const;
      return Buffer.from(metricsBody([{ metrics: [{ name: 'feature_flag.evaluations', ...sum }] }]).protobuf);
    };
    const long = bodyOf(3000);
    expect(long.length).to.be.greaterThan(MAX_AT_ONCE_BYTES);
    expect(form.readFast?.(long, optionsOf('*'))).to.equal(undefined);
    const steps = form.read(long, optionsOf('*'));
    let count = 0;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) {
        expect(messageOf(value)).to.equal(messageOf(aggregateFound(foundIn('metrics', long))));
        break;
      }
      count += 1;
    }
    expect(count).to.be.greaterThan(40);
  });

  it('may be read in steps while other bodies are read', () => {
    const bodyOf = (variant: string): Buffer => {
      const points = Array.from({ length: 2000 }, (_, n) => ({
        time: NOW,
        int: 3n,
        attributes: { 'feature_flag.key': `feature ${n}`, 'feature_flag.result.variant': variant },
      }));
      const sum = { kind: 'sum', temporality: 1, isMonotonic: true, points } as const;
      return Buffer.from(metricsBody([{ metrics: [{ name: 'feature_flag.evaluations', ...sum }] }]).protobuf);
    };
    const bodies = [bodyOf('blue'), bodyOf('red'), bodyOf('blue')];
    const alone = bodies.map((body) => contentOf(inOneGo(form.read(body, optionsOf('*')))));
    const running = bodies.map((body) => form.read(body, optionsOf('*')));
    const together = new Map<number, unknown>();
    while (together.size < running.length)
      for (const [n, steps] of running.entries()) {
        const step = together.has(n) ? undefined : steps.next();
        if (step?.done === true) together.set(n, contentOf(step.value));
      }
    expect(bodies.map((_, n) => together.get(n))).to.deep.equal(alone);
  });
});
