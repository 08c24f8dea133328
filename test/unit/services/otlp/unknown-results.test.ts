import { expect } from 'chai';
import type { EvaluationResult } from '#core/counting';
import { type OtlpSignal, evaluationsOf } from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { RECEIVED_AT } from '../../../support/builders/builders.ts';
import { rowsOf } from '../../../support/model/naive-sums.ts';
import { aggregateFound, foundIn } from '../../../support/senders/otlp/otlp-evaluations.ts';
import {
  type Encoded,
  type OtlpAttributes,
  logsBody,
  metricsBody,
  tracesBody,
} from '../../../support/senders/otlp/otlp-bodies.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;

describe('the result of an evaluation without a value', () => {
  const cases: readonly (readonly [string, OtlpAttributes, EvaluationResult])[] = [
    ['is that of its variant', { variant: 'blue' }, 'enabled'],
    ['is that of its reason', { reason: 'disabled' }, 'disabled'],
    ['is that of its reason, whatever the variant', { reason: 'default', variant: 'blue' }, 'disabled'],
    ['is unknown without a variant', { reason: 'targeting_match' }, 'unknown'],
    ['is unknown with an empty variant', { variant: '' }, 'unknown'],
  ];
  for (const [what, attributes, result] of cases)
    it(what, () => {
      const records = [{ time: NOW, name: 'feature_flag.evaluation', attributes }];
      const found = foundIn('logs', logsBody([{ records }]).protobuf);
      expect(Array.from(evaluationsOf(found, { environment: '*' }), (one) => one.result)).to.deep.equal([
        result,
      ]);
    });
});

describe('the evaluations of hooks that say no result', () => {
  const counted = (signal: OtlpSignal, { protobuf }: Encoded) => {
    const found = foundIn(signal, protobuf);
    const { received, sums, reasons, points } = aggregateFound(found);
    const rows = rowsOf(sums).map(({ key: [feature], reports, yes, no, unknown, variants }) => {
      return { feature, reports, yes, no, unknown, variants };
    });
    return { received, rows, reasons: [...reasons.all()].length, points: points.map(({ result }) => result) };
  };
  const checkout = { feature: 'new-checkout', yes: 0, no: 0, variants: [] };

  it('of LaunchDarkly are neither yes nor no', () => {
    const attributes = {
      'feature_flag.key': 'new-checkout',
      'feature_flag.provider.name': 'LaunchDarkly',
      'feature_flag.context.id': 'user-7',
      'feature_flag.result.variationIndex': 1,
    };
    const spans = [Array.from({ length: 3 }, () => ({ time: NOW, name: 'feature_flag', attributes }))];
    expect(counted('traces', tracesBody([{ spans }]))).to.deep.equal({
      received: 3,
      points: [],
      reasons: 1,
      rows: [{ ...checkout, reports: 3, unknown: 3, variants: [['1', 3]] }],
    });
  });

  const pointsOfHook = (temporality: number) => {
    const attributes = {
      'feature_flag.key': 'new-checkout',
      'feature_flag.provider.name': 'InMemoryProvider',
      'feature_flag.result.reason': 'static',
    };
    const points = [{ start: NOW - 1000n, time: NOW, attributes, int: 1200n }];
    const name = 'feature_flag.evaluation_success_total';
    const metrics = [{ name, kind: 'sum', temporality, isMonotonic: true, points }] as const;
    return metricsBody([{ resource: { 'service.instance.id': 'one' }, metrics }]);
  };

  it('of .NET are neither yes nor no', () => {
    expect(counted('metrics', pointsOfHook(1))).to.deep.equal({
      received: 1,
      points: [],
      reasons: 1,
      rows: [{ ...checkout, reports: 1, unknown: 1200 }],
    });
  });

  it('of Go and Java are neither yes nor no in a cumulative counter', () => {
    expect(counted('metrics', pointsOfHook(2))).to.deep.equal({
      received: 1,
      points: ['unknown'],
      rows: [],
      reasons: 0,
    });
  });
});
