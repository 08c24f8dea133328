import { expect } from 'chai';
import {
  comparisonSentence,
  formatP,
  impactMetricsSentence,
  lastDayWords,
  namesWords,
} from '../../../../../services/console/state/sentences/index.ts';
import {
  chosenOf,
  impactChart,
  keyOf,
  rateOf,
  titleOf,
  toneOf,
} from '../../../../../services/console/pages/flags/feature/impact/comparisons.ts';
import { isFound } from '../../../../../services/console/pages/usage/impact-metrics/metric-rows.ts';
import { formatValue } from '../../../../../services/console/state/chart/counts.ts';
import type {
  ImpactArm,
  ImpactComparison,
  ImpactMetric,
  ImpactSeries,
} from '../../../../../services/console/types.ts';

function anArm(arm: string, members: Partial<ImpactArm> = {}): ImpactArm {
  return {
    arm,
    exposures: 1000,
    value: 30,
    observations: 0,
    perExposure: 0.03,
    ratio: 1,
    ratioLow: null,
    ratioHigh: null,
    pValue: null,
    quantiles: null,
    ...members,
  };
}

const WORSE = { value: 60, perExposure: 0.06, ratio: 2, ratioLow: 1.29, ratioHigh: 3.1, pValue: 0.0019 };

function aComparison(members: Partial<ImpactComparison> = {}): ImpactComparison {
  const arms = [anArm('disabled'), anArm('enabled', WORSE)];
  return {
    metric: 'errors',
    type: 'counter',
    environment: 'production',
    application: 'shop',
    control: 'disabled',
    arms,
    totalArms: 2,
    ...members,
  };
}

function aMetric(members: Partial<ImpactMetric> = {}): ImpactMetric {
  return {
    metric: 'purchases',
    type: 'counter',
    help: 'Completed purchases',
    environment: 'production',
    applications: ['shop'],
    totalApplications: 1,
    features: ['new-basket'],
    totalFeatures: 1,
    series: 2,
    value: 1234.5,
    observations: 0,
    firstHour: '2026-11-25T08:00:00.000Z',
    lastHour: '2026-11-25T09:00:00.000Z',
    ...members,
  };
}

describe('the impact of a feature', () => {
  it('is said in one sentence, with its interval and p-value', () => {
    expect(comparisonSentence(aComparison())).to.equal(
      'For each evaluation, enabled has 100 % more errors than disabled, between +29 % and +210 % (p = 0.002).',
    );
    const fewer = { ratio: 0.5, ratioLow: 0.323, ratioHigh: 0.775, pValue: 0.0004 };
    expect(comparisonSentence(aComparison({ arms: [anArm('disabled'), anArm('enabled', fewer)] }))).to.equal(
      'For each evaluation, enabled has 50 % fewer errors than disabled, between −67.7 % and −22.5 % (p < 0.001).',
    );
  });

  it('is about the arm that differs most surely', () => {
    const arms = [anArm('control'), anArm('blue', { ...WORSE, pValue: 0.3 }), anArm('red', WORSE)];
    expect(comparisonSentence(aComparison({ control: 'control', arms }))).to.include('red has 100 % more');
  });

  it('claims nothing that chance may have done, and nothing about a single arm', () => {
    const arms = [anArm('disabled'), anArm('enabled', { ...WORSE, pValue: 0.051 })];
    expect(comparisonSentence(aComparison({ arms }))).to.include('chance alone');
    expect(comparisonSentence(aComparison({ arms: [anArm('disabled')] }))).to.include('nothing to compare');
    const unknown = [anArm('disabled', { ratio: null }), anArm('enabled', { ratio: null })];
    expect(comparisonSentence(aComparison({ arms: unknown }))).to.include('nothing to compare');
  });

  it('compares how many observations a histogram has', () => {
    expect(comparisonSentence(aComparison({ metric: 'seconds', type: 'histogram' }))).to.include(
      '100 % more observations of seconds',
    );
  });

  it('begins with the counter that differs most surely, unless the URL names another metric', () => {
    const weak = aComparison({ metric: 'a', arms: [anArm('disabled'), anArm('enabled')] });
    const strong = aComparison({ metric: 'b' });
    const histogram = aComparison({ metric: 'c', type: 'histogram' });
    const all = [weak, histogram, strong];
    expect(chosenOf(all, undefined)).to.equal(strong);
    expect(chosenOf(all, keyOf(histogram))).to.equal(histogram);
    expect(chosenOf(all, 'gone')).to.equal(strong);
    expect(chosenOf([], 'gone')).to.equal(undefined);
  });

  it('names the application and environment of a metric only if there are several', () => {
    const [one, other] = [aComparison(), aComparison({ application: 'mobile' })];
    expect(titleOf(one, [one, aComparison({ metric: 'sales', application: 'web' })])).to.equal('errors');
    expect(titleOf(one, [one, other])).to.equal('errors by shop');
    expect(titleOf(one, [one, other, aComparison({ environment: 'test' })])).to.equal(
      'errors by shop in production',
    );
  });

  it('keeps the colours of arms, whatever their order', () => {
    const arms = ['green', 'disabled', 'blue'].map((arm) => ({ arm }));
    expect(['blue', 'green', 'disabled', 'enabled'].map((arm) => toneOf(arm, arms))).to.deep.equal([
      'variant-1',
      'variant-2',
      'no',
      'yes',
    ]);
  });

  it('has p-values to three digits', () => {
    expect([0.05, 0.0005].map(formatP)).to.deep.equal(['p = 0.050', 'p < 0.001']);
  });

  it('draws rates, which are unknown without evaluations', () => {
    expect(rateOf({ value: 5, exposures: 1000, observations: 0 }, 'counter')).to.equal(5);
    expect(rateOf({ value: 5, exposures: 1000, observations: 2 }, 'histogram')).to.equal(2.5);
    const series: ImpactSeries = {
      interval: 'hour',
      timezone: 'UTC',
      knownFrom: null,
      isLastComplete: true,
      from: '2026-11-25T08:00:00.000Z',
      to: '2026-11-25T10:00:00.000Z',
      completeUntil: '2026-11-25T10:00:00.000Z',
      starts: ['2026-11-25T08:00:00.000Z', '2026-11-25T09:00:00.000Z'],
      arms: [{ arm: 'enabled', exposures: [400, 0], values: [2, 1], observations: [0, 0] }],
    };
    const chart = impactChart(series, aComparison());
    expect(chart.series.map(({ id, counts }) => [id, counts])).to.deep.equal([
      ['disabled', [null, null]],
      ['enabled', [5, null]],
    ]);
    expect(chart.rates).to.deep.equal([null, 7.5]);
    expect([formatValue(chart, 0.012_345), formatValue(chart, null), formatValue({}, 12_345)]).to.deep.equal([
      '0.0123',
      'unknown',
      '12,345',
    ]);
  });
});

describe('the list of impact metrics', () => {
  it('says how many there are, and who sends them', () => {
    expect(impactMetricsSentence({ total: 0, impactMetrics: [] })).to.equal(
      'No application sends impact metrics',
    );
    const elsewhere = aMetric({ environment: 'test', applications: ['shop', 'mobile'] });
    expect(impactMetricsSentence({ total: 2, impactMetrics: [aMetric(), elsewhere] })).to.equal(
      '2 applications send 1 impact metric with 1 flag',
    );
  });

  it('finds a metric by its name, explanation, application or flag', () => {
    const found = ['purch', 'completed', 'shop', 'basket', 'nothing'].map((text) =>
      isFound(aMetric(), [text]),
    );
    expect(found).to.deep.equal([true, true, true, true, false]);
  });

  it('has a sum, a mean or a last value, and a dash without samples', () => {
    expect(lastDayWords(aMetric())).to.equal('1,234.5');
    expect(lastDayWords(aMetric({ type: 'gauge', value: 7 }))).to.equal('now 7');
    expect(lastDayWords(aMetric({ type: 'histogram', value: 12, observations: 40 }))).to.equal('mean 0.3');
    expect(lastDayWords(aMetric({ value: null }))).to.equal('–');
    expect(lastDayWords(aMetric({ type: 'histogram', value: 0, observations: 0 }))).to.equal('–');
  });

  it('says how many names are left out', () => {
    expect(namesWords(['a', 'b'], 2)).to.equal('a, b');
    expect(namesWords(['a', 'b'], 1002)).to.equal('a, b, 1,000 more');
  });
});
