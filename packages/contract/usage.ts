import type { FromSchema } from 'json-schema-to-ts';
import { featureVerdictsSchema } from './verdicts.ts';
import { count, nullableText, text, time } from './schema.ts';

const hour = {
  environment: text('Environment of the evaluations.'),
  timestamp: time('Start of the hour.'),
  yes: count('Evaluations that were enabled.'),
  no: count('Evaluations that were disabled.'),
} as const;

const versioned = {
  version: { type: 'integer', const: 1 },
  maturity: { type: 'string', const: 'stable' },
  featureName: { type: 'string' },
} as const;

/** Usage of a feature in the current hour, per environment (docs/unleash.md#usage-of-features). */
export const featureUsageSchema = {
  title: 'FeatureUsage',
  type: 'object',
  required: ['version', 'maturity', 'featureName', 'lastHourUsage', 'seenApplications', 'verdicts'],
  properties: {
    ...versioned,
    lastHourUsage: {
      type: 'array',
      items: {
        title: 'HourOfUsage',
        type: 'object',
        required: ['environment', 'timestamp', 'yes', 'no'],
        properties: hour,
      },
    },
    seenApplications: { type: 'array', items: text('An application.') },
    verdicts: featureVerdictsSchema,
  },
} as const;

export const featureMetricsSchema = {
  title: 'FeatureMetrics',
  type: 'object',
  required: ['version', 'maturity', 'featureName', 'data'],
  properties: {
    ...versioned,
    data: {
      type: 'array',
      items: {
        title: 'FeatureMetric',
        type: 'object',
        required: ['featureName', 'appName', 'environment', 'timestamp', 'yes', 'no', 'variants'],
        properties: {
          featureName: { type: 'string' },
          appName: { type: 'string' },
          ...hour,
          variants: { type: 'object', additionalProperties: count('Evaluations that got the variant.') },
        },
      },
    },
  },
} as const;

export const applicationsSchema = {
  title: 'Applications',
  type: 'object',
  required: ['applications', 'total'],
  properties: {
    total: count('Number of items.'),
    applications: {
      type: 'array',
      items: {
        title: 'Application',
        type: 'object',
        required: [
          'appName',
          'createdAt',
          'seenAt',
          'strategies',
          'description',
          'url',
          'color',
          'icon',
          'usage',
          'totalUsage',
          'instances',
          'totalInstances',
        ],
        properties: {
          appName: { type: 'string' },
          createdAt: time('When it was first reported.'),
          seenAt: time('When it was last reported.'),
          strategies: { type: 'array', items: { type: 'string' } },
          description: nullableText('What it is.'),
          url: nullableText('Where it is.'),
          color: nullableText('Used by the user interface.'),
          icon: nullableText('Used by the user interface.'),
          usage: {
            type: 'array',
            description: 'The 20 projects and environments in which it was seen most recently.',
            items: {
              title: 'ApplicationUsage',
              type: 'object',
              required: ['project', 'environments'],
              properties: {
                project: { type: 'string' },
                environments: { type: 'array', items: { type: 'string' } },
              },
            },
          },
          totalUsage: count('Number of project environments that use it.'),
          instances: {
            type: 'array',
            description: 'The 20 most recently seen.',
            items: {
              title: 'ApplicationInstance',
              type: 'object',
              required: ['instanceId', 'environment', 'sdkVersion', 'sdkType', 'lastSeen'],
              properties: {
                instanceId: { type: 'string' },
                environment: { type: 'string' },
                sdkVersion: { type: ['string', 'null'] },
                sdkType: { type: ['string', 'null'] },
                lastSeen: time('When it was last reported.'),
              },
            },
          },
          totalInstances: count('Number of instances.'),
        },
      },
    },
  },
} as const;

export const unknownFlagsSchema = {
  title: 'UnknownFlags',
  type: 'object',
  required: ['unknownFlags'],
  properties: {
    unknownFlags: {
      type: 'array',
      items: {
        title: 'UnknownFlag',
        type: 'object',
        required: ['name', 'appName', 'environment', 'lastSeenAt', 'count', 'nearestName'],
        properties: {
          name: { type: 'string' },
          appName: { type: 'string' },
          environment: { type: 'string' },
          lastSeenAt: time('Start of the hour of the last evaluation.'),
          count: count('Evaluations of the last 30 days.'),
          nearestName: nullableText('The known feature with the most similar name; null if there is none.'),
        },
      },
    },
  },
} as const;

export type FeatureUsage = FromSchema<typeof featureUsageSchema>;
export type FeatureMetrics = FromSchema<typeof featureMetricsSchema>;
export type Applications = FromSchema<typeof applicationsSchema>;
export type UnknownFlags = FromSchema<typeof unknownFlagsSchema>;
