import type { FromSchema } from 'json-schema-to-ts';
import { count, members, text, time } from '#base/schema';
import { featureVerdictsSchema } from '../../advice/verdicts/schema.ts';

const hour = {
  environment: text('Environment of the evaluations.'),
  timestamp: time('Start of the hour.'),
  yes: count('Evaluations that were enabled.'),
  no: count('Evaluations that were disabled.'),
  unknown: count('Evaluations whose result the sender did not report: neither yes nor no.'),
} as const;

const versioned = {
  version: { type: 'integer', const: 1 },
  maturity: { type: 'string', const: 'stable' },
  featureName: { type: 'string' },
} as const;

/** Usage of a feature in the current hour, per environment (docs/develop/unleash.md#stored-usage). */
export const featureUsageSchema = {
  title: 'FeatureUsage',
  type: 'object',
  ...members({
    ...versioned,
    lastHourUsage: {
      type: 'array',
      items: {
        title: 'HourOfUsage',
        type: 'object',
        required: ['environment', 'timestamp', 'yes', 'no', 'unknown'],
        properties: hour,
      },
    },
    seenApplications: { type: 'array', items: text('An application.') },
    verdicts: featureVerdictsSchema,
  }),
} as const;

export const featureMetricsSchema = {
  title: 'FeatureMetrics',
  type: 'object',
  ...members({
    ...versioned,
    data: {
      type: 'array',
      items: {
        title: 'FeatureMetric',
        type: 'object',
        ...members({
          featureName: { type: 'string' },
          appName: { type: 'string' },
          ...hour,
          variants: { type: 'object', additionalProperties: count('Evaluations that got the variant.') },
        }),
      },
    },
  }),
} as const;

export type FeatureUsage = FromSchema<typeof featureUsageSchema>;
export type FeatureMetrics = FromSchema<typeof featureMetricsSchema>;
