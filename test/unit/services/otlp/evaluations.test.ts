import { expect } from 'chai';
import { DistinctNames, type Evaluation } from '#core/counting';
import {
  type EvaluationScope,
  applicationsOf,
  evaluationsOf,
} from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { RECEIVED_AT } from '../../../support/builders/builders.ts';
import { aggregateFound, foundIn } from '../../../support/senders/otlp/otlp-evaluations.ts';
import {
  type LogsBody,
  type OtlpAttributes,
  type OtlpMetric,
  type OtlpPoint,
  logsBody,
  metricsBody,
} from '../../../support/senders/otlp/otlp-bodies.ts';
import { DEFAULT_NAME_LIMITS } from '../../../support/builders/name-limits.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;
const NAME = 'feature_flag.evaluation';

function evaluationOf(attributes: OtlpAttributes, scope: EvaluationScope = { environment: '*' }): Evaluation {
  const [evaluation] = evaluationsOf(read([{ records: [{ time: NOW, name: NAME, attributes }] }]), scope);
  if (evaluation === undefined) throw new Error('no evaluation');
  return evaluation;
}

function read(body: LogsBody) {
  return foundIn('logs', logsBody(body).protobuf);
}

function readPoints(metric: Partial<OtlpMetric>) {
  const metrics: OtlpMetric[] = [
    {
      name: 'feature_flag.evaluations',
      kind: 'sum',
      temporality: 1,
      isMonotonic: true,
      points: [],
      ...metric,
    },
  ];
  const { protobuf } = metricsBody([{ resource: INSTANCE, metrics }]);
  return foundIn('metrics', protobuf);
}

const INSTANCE = { 'service.instance.id': 'one' };

describe('an evaluation of OpenTelemetry', () => {
  const cases: readonly (readonly [string, OtlpAttributes, Partial<Evaluation>])[] = [
    [
      'of a boolean flag is what its value says',
      { 'feature_flag.result.value': false },
      { result: 'disabled' },
    ],
    [
      'of a boolean flag that failed is what the default says',
      { 'feature_flag.result.value': true, 'feature_flag.result.reason': 'error' },
      { result: 'enabled', reason: 'error' },
    ],
    [
      'of a boolean flag of Python is what its text says',
      { 'feature_flag.result.value': 'false', 'feature_flag.result.reason': 'static' },
      { result: 'disabled', reason: 'static' },
    ],
    ['of another flag is enabled', { 'feature_flag.result.value': 'blue' }, { result: 'enabled' }],
    [
      'of another flag is not enabled if it has its default',
      { 'feature_flag.result.value': 'blue', 'feature_flag.result.reason': 'DEFAULT' },
      { result: 'disabled', reason: 'default' },
    ],
    [
      'without a value is what the variant says',
      { 'feature_flag.result.variant': 'Off' },
      { result: 'disabled' },
    ],
    [
      'with another value does not read the variant',
      { 'feature_flag.result.variant': 'off', 'feature_flag.result.value': 'blue' },
      { result: 'enabled', variant: 'off' },
    ],
    [
      'of an older emitter has the older names',
      { key: 'basket', variant: 'blue', reason: 'STATIC' },
      { featureName: 'basket', variant: 'blue', reason: 'static' },
    ],
    ['without a reason has an unknown one', {}, { reason: 'unknown', errorType: undefined }],
    [
      'with an error failed',
      { 'error.type': 'FLAG_NOT_FOUND' },
      { reason: 'error', errorType: 'flag_not_found' },
    ],
  ];
  for (const [what, attributes, expected] of cases)
    it(what, () => {
      expect(evaluationOf(attributes)).to.include(expected);
    });

  it('has the place of its resource', () => {
    const old = { 'service.name': 'shop', 'deployment.environment': 'old' };
    const resources = [
      { resource: old, records: [{ name: NAME }] },
      { resource: { ...old, 'deployment.environment.name': 'new' }, records: [{ name: NAME }] },
      { records: [{ name: NAME }] },
    ];
    const places = (environment: string) =>
      Array.from(evaluationsOf(read(resources), { environment }), (one) => [one.appName, one.environment]);
    const named = [
      ['shop', 'old'],
      ['shop', 'new'],
    ];
    expect(places('*')).to.deep.equal([...named, ['unknown_service', 'default']]);
    expect(places('production')).to.deep.equal([...named, ['unknown_service', 'production']]);
  });
});

describe('the reasons of a token that count as no', () => {
  const scope = { environment: '*', notEnabledReasons: ['off', 'stale'] };
  const resultOf = (reason: string, attributes: OtlpAttributes) =>
    evaluationOf({ 'feature_flag.result.reason': reason, ...attributes }, scope).result;

  it('replace the usual ones, also for counters', () => {
    const value = { 'feature_flag.result.value': 'blue' };
    const outcomes = ['OFF', 'stale', 'default', 'static'].map((reason) => resultOf(reason, value));
    expect(outcomes).to.deep.equal(['disabled', 'disabled', 'enabled', 'enabled']);
    const points = [{ time: NOW, attributes: { key: 'basket', reason: 'off' }, int: 2n }];
    const [counted] = evaluationsOf(readPoints({ points }), scope);
    expect(counted).to.include({ result: 'disabled', count: 2 });
  });

  it('change nothing of boolean values', () => {
    expect(resultOf('off', { 'feature_flag.result.value': true })).to.equal('enabled');
  });
});

describe('evaluations of OpenTelemetry', () => {
  const aggregate = (found: Parameters<typeof evaluationsOf>[0], allowedEnvironment = '*') =>
    aggregateFound(found, { allowedEnvironment });

  it('add up with their variants, each as one metric', () => {
    const attributes = { 'feature_flag.key': 'basket', 'feature_flag.result.variant': 'blue' };
    const records = Array.from({ length: 3 }, () => ({ time: NOW, name: NAME, attributes }));
    const { received, sums, refusals } = aggregate(read([{ records }]));
    expect([received, refusals]).to.deep.equal([3, []]);
    expect([sums.rowCount, sums.reportsOf(0), sums.yesOf(0), sums.noOf(0)]).to.deep.equal([1, 3, 3, 0]);
    expect(sums.countOfVariant(sums.firstVariantOf(0))).to.equal(3);
  });

  it('add up by reason and error, of which few are known', () => {
    const named = (reason: string, error?: string) => ({
      time: NOW,
      name: NAME,
      attributes: {
        'feature_flag.key': 'basket',
        'feature_flag.result.reason': reason,
        ...(error === undefined ? {} : { 'error.type': error }),
      },
    });
    const records = [
      named('static'),
      named('STATIC'),
      named('weather'),
      named('error', 'general'),
      named('error', 'x'),
    ];
    const { sums, reasons } = aggregate(read([{ records: [...records, { time: NOW, name: NAME }] }]));
    const found = Array.from(reasons.all(), ({ feature, reason, errorType, count }) =>
      [feature, reason, errorType]
        .map((id) => (id === undefined ? '' : sums.names[id]))
        .concat(String(count)),
    );
    // The refused one has none.
    expect(found).to.deep.equal([
      ['basket', 'static', '', '2'],
      ['basket', 'other', '', '1'],
      ['basket', 'error', 'general', '1'],
      ['basket', 'error', 'other', '1'],
    ]);
  });

  it('of a point are as many as its value', () => {
    const attributes = { 'feature_flag.key': 'basket', 'feature_flag.result.variant': 'off' };
    const { received, sums } = aggregate(readPoints({ points: [{ time: NOW, attributes, int: 41n }] }));
    expect([received, sums.yesOf(0), sums.noOf(0)]).to.deep.equal([1, 0, 41]);
  });

  it('of a counter of errors are errors', () => {
    const points = [{ time: NOW, attributes: { 'feature_flag.key': 'basket' }, int: 2n }];
    const [error] = evaluationsOf(readPoints({ name: 'feature_flag.evaluation_error_total', points }), {
      environment: '*',
    });
    expect(error).to.include({ reason: 'error', result: 'disabled', count: 2 });
  });

  it('of more providers than there is room for, or without a valid name, are those of another one', () => {
    const names = new DistinctNames({ ...DEFAULT_NAME_LIMITS, variant: 2 }).of('token', 0);
    const providers = ['x'.repeat(256), 'flagd', 'goff', 'more', 'flagd'];
    const records = providers.map((provider) => ({
      time: NOW,
      name: NAME,
      attributes: { 'feature_flag.key': 'basket', 'feature_flag.provider.name': provider },
    }));
    const { sums, reasons } = aggregateFound(read([{ records }]), { names });
    const counts = Array.from(reasons.all(), ({ provider = -1, count }) => [sums.names[provider], count]);
    expect(Object.fromEntries(counts)).to.deep.equal({ flagd: 2, goff: 1, other: 2 });
  });

  it('without a variant and a provider have none', () => {
    const records = [{ time: NOW, name: NAME, attributes: { 'feature_flag.key': 'basket' } }];
    const { sums, reasons } = aggregate(read([{ records }]));
    expect([...reasons.all()][0]).to.include({ provider: undefined });
    expect(sums.names).not.to.include(undefined);
  });

  it('without a time have that of the receipt', () => {
    const { refusals } = aggregate(read([{ records: [{ name: NAME, attributes: { key: 'a' } }] }]));
    expect(refusals).to.deep.equal([]);
  });

  const key = { key: 'basket' };
  const records: readonly (readonly [string, OtlpAttributes, bigint, string])[] = [
    ['empty_name', {}, NOW, 'featureName: (empty)'],
    ['too_old', key, 1_000_000_000n, 'timestamp: 1970-01-01T00:00:01.000Z'],
    ['in_the_future', key, 2n ** 64n - 1n, 'timestamp: 2554-07-21T23:34:33.709Z'],
    ['invalid_character', { key: 'a\0' }, NOW, 'featureName: a\uFFFD'],
    [
      'name_too_long',
      { ...key, variant: 'x'.repeat(256) },
      NOW,
      `variant: ${'x'.repeat(64)}… (256 characters)`,
    ],
  ];
  for (const [reason, attributes, time, sample] of records)
    it(`are refused as ${reason}`, () => {
      const { received, refusals } = aggregate(read([{ records: [{ time, name: NAME, attributes }] }]));
      expect(received).to.equal(1);
      expect(refusals).to.have.length(1);
      expect(refusals[0]).to.include({ kind: 'metric', reason, metrics: 1, sample });
    });

  it('of another environment than that of the token are refused', () => {
    const resource = { 'deployment.environment.name': 'staging' };
    const found = read([{ resource, records: [{ time: NOW, name: NAME, attributes: key }] }]);
    expect(aggregate(found, 'production').refusals[0]).to.include({ reason: 'environment_not_allowed' });
    expect([...applicationsOf(found, { environment: 'production', projects: [] })]).to.deep.equal([]);
  });

  const points: readonly (readonly [string, Partial<OtlpMetric>, Partial<OtlpPoint>])[] = [
    ['no_start_time', { temporality: 2 }, { int: 1n }],
    ['invalid_count', { temporality: 2 }, { start: NOW, int: -1n }],
    [
      'unreadable_attributes',
      { temporality: 2 },
      { start: NOW, int: 3n, attributes: { ...key, list: ['a'] } },
    ],
    ['not_a_counter', { kind: 'gauge' }, { int: 1n }],
    ['not_a_counter', { isMonotonic: false }, { int: 1n }],
    ['invalid_count', {}, { int: -1n }],
    ['invalid_count', {}, { double: NaN }],
    ['invalid_count', {}, { double: 1.5 }],
    ['invalid_count', {}, { int: 2n ** 53n }],
    ['invalid_count', {}, {}],
  ];
  for (const [reason, metric, point] of points)
    it(`of a point are refused as ${reason}: ${JSON.stringify(metric)} ${String(point.int ?? point.double)}`, () => {
      const found = readPoints({ ...metric, points: [{ time: NOW, attributes: key, ...point }] });
      const { received, refusals, sums } = aggregate(found);
      expect([received, sums.rowCount]).to.deep.equal([1, 0]);
      expect(refusals[0]).to.include({ kind: 'metric', reason, metrics: 1 });
    });
});
