import { expect } from 'chai';
import { inOneGo } from '#core/counting';
import { readOtlp } from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { RECEIVED_AT, decoded, encodeAggregated } from '../../../support/builders/builders.ts';
import {
  type OtlpAttributes,
  type OtlpMetric,
  type OtlpPoint,
  metricsBody,
} from '../../../support/senders/otlp/otlp-bodies.ts';
import { aggregateFound } from '../../../support/senders/otlp/otlp-evaluations.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;
const INSTANCE = { 'service.instance.id': 'one' };

type Sent = { readonly scope?: string };

const LONG = 'x'.repeat(1025);
const LONG_METRIC = `evaluation ${LONG}`.slice(0, LONG.length);

describe('cumulative points of OpenTelemetry', () => {
  const STARTED = NOW - 1_000_000_000n;
  const countersOf = (
    resource: OtlpAttributes,
    points: readonly OtlpPoint[],
    { scope = 'a scope', ...parts }: Partial<OtlpMetric> & Sent = {},
  ) => {
    const metric = {
      name: 'feature_flag.evaluations',
      kind: 'sum',
      temporality: 2,
      isMonotonic: true,
    } as const;
    const { protobuf, json } = metricsBody([{ resource, scope, metrics: [{ ...metric, ...parts, points }] }]);
    const [one, other] = [{ protobuf }, { json: JSON.parse(json) as unknown }].map((body) => {
      const found = inOneGo(readOtlp('metrics', body));
      if ('problem' in found) throw new Error(found.problem);
      return aggregateFound(found);
    });
    expect(one).to.deep.equal(other);
    return one ?? { points: [], refusals: [], received: 0, sums: undefined };
  };
  const point = (attributes: OtlpAttributes): OtlpPoint => ({
    start: STARTED,
    time: NOW,
    int: 5n,
    attributes,
  });
  const flag = { 'feature_flag.key': 'basket', 'feature_flag.result.variant': 'blue' };

  it('are left to the worker, with their start and value', () => {
    const { points, received, sums } = countersOf(INSTANCE, [point(flag)]);
    expect([received, sums?.rowCount]).to.deep.equal([1, 0]);
    const [one] = points;
    expect(one).to.include({
      startedAt: RECEIVED_AT * 1000 - 1_000_000,
      at: RECEIVED_AT * 1000,
      value: 5,
      result: 'enabled',
    });
    expect([one?.feature, one?.variant, one?.reason].map((id) => sums?.names[id ?? -1])).to.deep.equal([
      'basket',
      'blue',
      'unknown',
    ]);
  });

  it('without a variant have none', () => {
    const { points, sums } = countersOf(INSTANCE, [point({ 'feature_flag.key': 'basket' })]);
    expect(points[0]).to.include({ variant: undefined, provider: undefined });
    expect(sums?.names).not.to.include(undefined);
  });

  it('belong to one counter if process, scope, metric and all attributes are the same, in any order', () => {
    const mixed = { ...flag, other: 1.5, flag: true };
    const same = { flag: true, other: 1.5, ...flag };
    const enriched = { ...INSTANCE, 'k8s.pod.name': 'a' };
    const seriesOf = (...parts: Parameters<typeof countersOf>) => countersOf(...parts).points[0]?.series;
    const series = seriesOf(INSTANCE, [point(mixed)]);
    expect([seriesOf(INSTANCE, [point(same)]), seriesOf(enriched, [point(same)])]).to.deep.equal([
      series,
      series,
    ]);
    const others = [
      seriesOf(INSTANCE, [point({ ...mixed, other: 2 })]),
      seriesOf(INSTANCE, [point({ ...mixed, other: '1.5' })]),
      seriesOf(INSTANCE, [point(mixed)], { name: 'flag.evaluation.count' }),
      seriesOf({ ...INSTANCE, 'service.name': 'shop' }, [point(mixed)]),
      seriesOf({ ...INSTANCE, 'service.namespace': 'eu' }, [point(mixed)]),
      seriesOf({ 'service.instance.id': 'two' }, [point(mixed)]),
      seriesOf(INSTANCE, [point(mixed)], { scope: 'another scope' }),
    ];
    expect(new Set([series, ...others]).size).to.equal(8);
  });

  for (const [what, resource, extra, parts] of [
    ['an instance', { 'service.instance.id': LONG }, {}, {}],
    ['a namespace', { ...INSTANCE, 'service.namespace': LONG }, {}, {}],
    ['a scope', INSTANCE, {}, { scope: LONG }],
    ['a metric', INSTANCE, {}, { name: LONG_METRIC }],
    ['a name of an attribute', INSTANCE, { [LONG]: 'a' }, {}],
    ['a value of an attribute', INSTANCE, { other: LONG }, {}],
  ] as const)
    it(`are refused one by one if ${what} is longer than 1,024 characters`, () => {
      const points = [point({ ...flag, ...extra }), point(flag), point({ ...flag, ...extra })];
      const { refusals, points: counted } = countersOf(resource, points, parts);
      const refused = what.endsWith('attribute') ? 2 : 3;
      expect(refusals.map(({ reason, metrics }) => [reason, metrics])).to.deep.equal([
        ['key_too_long', refused],
      ]);
      expect(counted).to.have.length(3 - refused);
      expect(refusals[0]?.sample).to.match(/x{53,64}… .*\(1025 characters\)$|x{64}…: a$/);
      expect(refusals[0]?.sample).to.have.lengthOf.below(255);
      expect(
        countersOf(shortened(resource), [point({ ...flag, ...shortened(extra) })]).points,
      ).to.have.length(1);
    });

  it('of a metric with any name are refused so that the worker can read the message', () => {
    const nested = { ...flag, list: ['a'] };
    for (const name of [`evaluation ${'x'.repeat(300)}`, 'evaluation\u0007', 'feature_flag.evaluations'])
      for (const [reason, resource, one] of [
        ['no_instance', {}, point(flag)],
        ['no_start_time', INSTANCE, { time: NOW, int: 5n, attributes: flag }],
        ['invalid_count', INSTANCE, { ...point(flag), int: -1n }],
        ['unreadable_attributes', INSTANCE, point(nested)],
      ] as const) {
        const { points, refusals, received, sums } = countersOf(resource, [one], { name });
        expect(points).to.have.length(0);
        if (sums === undefined) throw new Error('nothing is found');
        const message = decoded(encodeAggregated({ ...NO_APPLICATIONS, received, refusals, sums }));
        expect(message.refusals.map((refusal) => refusal.reason)).to.deep.equal([reason]);
      }
  });

  it('are refused without an instance, or with more attributes than SDKs keep', () => {
    expect(countersOf({}, [point(flag)]).refusals[0]).to.include({ reason: 'no_instance' });
    const many = Object.fromEntries(Array.from({ length: 128 }, (_, n) => [`a${n}`, true]));
    expect(countersOf(INSTANCE, [point(many)]).refusals[0]).to.include({ reason: 'empty_name' });
    expect(countersOf(INSTANCE, [point({ ...many, ...flag })]).refusals[0]).to.include({
      reason: 'unreadable_attributes',
    });
  });
});

const NO_APPLICATIONS = { applications: [], hasExactTime: false };

/** With texts that are just short enough. */
function shortened(attributes: Readonly<Record<string, string>>): OtlpAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name.slice(0, 1024), value.slice(0, 1024)]),
  );
}
