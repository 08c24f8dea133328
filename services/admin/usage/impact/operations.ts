import { compileQuery } from '#base/schema';
import { OF_FEATURE } from '../../http/access/scope.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import type { UsageStore } from '../totals/store.ts';
import { readFeatureImpact, readImpactSeries } from './read-impact.ts';
import {
  type FeatureImpact,
  type ImpactMetrics,
  type ImpactQuery,
  type ImpactSeries,
  type ImpactSeriesQuery,
  type MetricsQuery,
  featureImpactSchema,
  impactMetricsSchema,
  impactQuery,
  impactSeriesQuery,
  impactSeriesSchema,
  metricsQuery,
} from './schema.ts';
import type { ImpactStore } from './store.ts';

type Stores = { readonly impact: ImpactStore; readonly usage: UsageStore };

const PATH = '/api/admin/client-metrics/features/{featureName}/impact';
const COMMON = { queue: 'none', method: 'get', tag: 'Usage', permission: 'READ' } as const;

/** Impact metrics, and what they say about the arms of features. */
export function impactOperations(stores: Stores): Operation[] {
  return [listMetrics(stores), compareArms(stores), drawArms(stores)];
}

function listMetrics({ impact }: Stores): Operation<MetricsQuery> {
  const reads = new ReadsInTurn<ImpactMetrics>();
  return {
    ...COMMON,
    id: 'listImpactMetrics',
    scope: 'installation',
    path: '/api/admin/metrics/impact-metrics',
    summary: 'Impact metrics of applications: who sends them, and which features their labels name',
    query: compileQuery<MetricsQuery>(metricsQuery),
    answer: {
      status: 200,
      description: 'The impact metrics.',
      schema: impactMetricsSchema,
      example: METRICS,
    },
    run: (request) => reads.read(request, JSON.stringify(request.query), () => impact.metrics(request.query)),
  };
}

function compareArms(stores: Stores): Operation<ImpactQuery> {
  const reads = new ReadsInTurn<FeatureImpact>();
  return {
    ...COMMON,
    id: 'getFeatureImpact',
    scope: OF_FEATURE,
    path: PATH,
    summary: 'What each arm of a feature measured in a window, compared with its control',
    query: compileQuery<ImpactQuery>(impactQuery),
    answer: { status: 200, description: 'The comparisons.', schema: featureImpactSchema, example: IMPACT },
    problems: [404],
    run(request) {
      const question = { ...request.query, feature: nameParameter(request, 'featureName') };
      return reads.read(request, JSON.stringify(question), () => readFeatureImpact(stores, question));
    },
  };
}

function drawArms(stores: Stores): Operation<ImpactSeriesQuery> {
  const reads = new ReadsInTurn<ImpactSeries>();
  return {
    ...COMMON,
    id: 'getImpactSeries',
    scope: OF_FEATURE,
    path: `${PATH}/{metricName}`,
    summary: 'An impact metric and the exposures of each arm of a feature, by hour, day, week or month',
    query: compileQuery<ImpactSeriesQuery>(impactSeriesQuery),
    answer: { status: 200, description: 'The series.', schema: impactSeriesSchema, example: SERIES },
    problems: [404],
    run(request) {
      const names = {
        feature: nameParameter(request, 'featureName'),
        metric: nameParameter(request, 'metricName'),
      };
      const question = { ...request.query, ...names };
      return reads.read(request, JSON.stringify(question), () => readImpactSeries(stores, question));
    },
  };
}

const METRICS: ImpactMetrics = {
  total: 1,
  impactMetrics: [
    {
      metric: 'purchases',
      type: 'counter',
      help: 'Completed purchases',
      environment: 'production',
      applications: ['web-shop'],
      totalApplications: 1,
      features: ['new-basket'],
      totalFeatures: 1,
      series: 2,
      value: 2310,
      observations: 0,
      firstHour: '2026-10-21T10:00:00.000Z',
      lastHour: '2026-11-21T10:00:00.000Z',
    },
  ],
};

const NO_RATIOS = { ratioLow: null, ratioHigh: null, pValue: null };

const IMPACT: FeatureImpact = {
  feature: 'new-basket',
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-22T00:00:00.000Z',
  knownFrom: '2026-08-23T09:00:00.000Z',
  total: 1,
  comparisons: [
    {
      metric: 'purchases',
      type: 'counter',
      environment: 'production',
      application: 'web-shop',
      control: 'disabled',
      totalArms: 2,
      arms: [
        {
          arm: 'disabled',
          exposures: 40_000,
          value: 1200,
          observations: 0,
          perExposure: 0.03,
          ratio: 1,
          ...NO_RATIOS,
          quantiles: null,
        },
        {
          arm: 'enabled',
          exposures: 40_000,
          value: 1440,
          observations: 0,
          perExposure: 0.036,
          ratio: 1.2,
          ratioLow: 1.11,
          ratioHigh: 1.3,
          pValue: 0.000_003,
          quantiles: null,
        },
      ],
    },
  ],
};

const SERIES: ImpactSeries = {
  interval: 'day',
  timezone: 'UTC',
  from: '2026-11-20T00:00:00.000Z',
  to: '2026-11-22T00:00:00.000Z',
  starts: ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  knownFrom: '2025-01-01T00:00:00.000Z',
  completeUntil: '2026-11-21T00:00:00.000Z',
  isLastComplete: false,
  arms: [
    { arm: 'enabled', exposures: [20_000, 20_000], values: [710, 730], observations: [0, 0] },
    { arm: 'disabled', exposures: [20_000, 20_000], values: [600, 600], observations: [0, 0] },
  ],
};
