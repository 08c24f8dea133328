import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableTime, text, time } from '#base/schema';
import { seriesQuery, usageSeriesSchema } from '../totals/series-schema.ts';

/** Applications of a metric that an answer names. */
export const MAX_APPLICATIONS = 100;
/** Features of a metric that an answer names. */
export const MAX_FEATURES = 100;
/** Arms of a comparison, or lines of a chart, that an answer has. */
export const MAX_ARMS = 20;

const name = (description: string, maxLength = 255) => ({ type: 'string', maxLength, description }) as const;
const { from, to, timezone } = seriesQuery.properties;
/** Impact metrics are not stored by minute. */
const interval = {
  type: 'string',
  enum: ['hour', 'day', 'week', 'month'],
  default: 'day',
  description: 'Length of a bucket. Weeks begin on Monday.',
} as const;
const window = { from, to, interval, timezone } as const;
const environment = name('Only this environment.', 100);
const limit = (description: string) =>
  ({ type: 'integer', minimum: 1, maximum: 1000, default: 100, description }) as const;

export const metricsQuery = {
  type: 'object',
  properties: {
    feature: name('Only metrics with a label of this feature.'),
    environment,
    limit: limit('Maximum number of items.'),
  },
} as const;

export const impactQuery = {
  type: 'object',
  properties: {
    metric: name('Only this impact metric.'),
    environment,
    ...window,
    limit: limit('Maximum number of comparisons.'),
  },
} as const;

export const impactSeriesQuery = {
  type: 'object',
  properties: {
    environment,
    application: name('Only this application.'),
    ...window,
  },
} as const;

const number = (description: string) => ({ type: 'number', description }) as const;
const nullableNumber = (description: string) => ({ type: ['number', 'null'], description }) as const;

export const impactMetricsSchema = {
  title: 'ImpactMetrics',
  type: 'object',
  ...members({
    total: count('Number of impact metrics in their environments.'),
    impactMetrics: {
      type: 'array',
      description: 'By name. A metric is listed once for each environment.',
      items: {
        title: 'ImpactMetric',
        type: 'object',
        ...members({
          metric: text('Its name.'),
          type: { type: 'string', enum: ['counter', 'gauge', 'histogram'] },
          help: text('Its explanation; empty if there is none.', 100_000),
          environment: text('Environment of its samples.'),
          applications: {
            type: 'array',
            description: `Applications that send it, at most ${MAX_APPLICATIONS}.`,
            items: { type: 'string' },
          },
          totalApplications: count('Number of applications that send it.'),
          features: {
            type: 'array',
            description: `Features that its labels name, at most ${MAX_FEATURES}.`,
            items: { type: 'string' },
          },
          totalFeatures: count('Number of features that its labels name.'),
          series: count('Sets of labels with samples in the last 24 hours.'),
          value: nullableNumber(
            'In the last 24 hours: the sum of a counter, or of the values that a histogram observed. The last value of a gauge. Null without samples.',
          ),
          observations: count('Observations of a histogram in the last 24 hours.'),
          firstHour: time('Hour of its first sample.'),
          lastHour: time('Hour of its last sample.'),
        }),
      },
    },
  }),
} as const;

const quantiles = {
  title: 'ImpactQuantiles',
  type: ['object', 'null'],
  description: 'Estimated within a bucket of the histogram; null for a counter.',
  ...members({
    p50: nullableNumber('Median.'),
    p95: nullableNumber('95th percentile.'),
    p99: nullableNumber('99th percentile.'),
  }),
} as const;

const armSchema = {
  title: 'ImpactArm',
  type: 'object',
  ...members({
    arm: text('Variant of the feature, or enabled, or disabled.'),
    exposures: count('Evaluations by the application that were served this arm.'),
    value: number('Sum of the counter, or of the values that the histogram observed.'),
    observations: count('Observations of the histogram; 0 for a counter.'),
    perExposure: nullableNumber(
      'Sum of a counter, or observations of a histogram, for one exposure; null without exposures.',
    ),
    ratio: nullableNumber('perExposure divided by that of the control; null if one of them is missing.'),
    ratioLow: nullableNumber('Lower end of the 95 % confidence interval of the ratio; null for the control.'),
    ratioHigh: nullableNumber('Upper end of this interval.'),
    pValue: nullableNumber('How likely chance alone makes the ratio differ from 1 as much.'),
    quantiles,
  }),
} as const;

export const featureImpactSchema = {
  title: 'FeatureImpact',
  type: 'object',
  ...members({
    feature: text('The feature.'),
    from: time('Start of the compared time.'),
    to: time('End of the compared time.'),
    knownFrom: nullableTime('Hours before this time are deleted or were never sent; null if there are none.'),
    total: count('Number of comparisons, also of those beyond the limit.'),
    comparisons: {
      type: 'array',
      description: 'By metric, environment and application.',
      items: {
        title: 'ImpactComparison',
        type: 'object',
        ...members({
          metric: text('The impact metric.'),
          type: { type: 'string', enum: ['counter', 'histogram'] },
          environment: text('Environment of the samples and exposures.'),
          application: text('Application that sent both.'),
          control: text('Arm that the others are compared with.'),
          arms: {
            type: 'array',
            description: `The control first, then those with most exposures, at most ${MAX_ARMS}.`,
            items: armSchema,
          },
          totalArms: count('Number of arms.'),
        }),
      },
    },
  }),
} as const;

const perBucket = (description: string) =>
  ({
    type: 'array',
    items: { type: ['number', 'null'] },
    description: `${description}, for each start. null means unknown, 0 means none.`,
  }) as const;

const { series: _, ...buckets } = usageSeriesSchema.properties;

export const impactSeriesSchema = {
  title: 'ImpactSeries',
  type: 'object',
  ...members({
    ...buckets,
    arms: {
      type: 'array',
      description: `The arms with most exposures, at most ${MAX_ARMS}.`,
      items: {
        title: 'ImpactArmSeries',
        type: 'object',
        ...members({
          arm: text('Variant of the feature, or enabled, or disabled.'),
          exposures: perBucket('Evaluations that were served this arm'),
          values: perBucket('Sum of the counter, or of the values that the histogram observed'),
          observations: perBucket('Observations of the histogram'),
        }),
      },
    },
  }),
} as const;

export type MetricsQuery = FromSchema<typeof metricsQuery>;
export type ImpactQuery = FromSchema<typeof impactQuery>;
export type ImpactSeriesQuery = FromSchema<typeof impactSeriesQuery>;
export type ImpactMetrics = FromSchema<typeof impactMetricsSchema>;
export type FeatureImpact = FromSchema<typeof featureImpactSchema>;
export type ImpactSeries = FromSchema<typeof impactSeriesSchema>;
