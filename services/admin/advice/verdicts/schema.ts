import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, text, time } from '#base/schema';

const onFeature = {
  environment: text('Environment of the verdict.'),
  verdict: text('The verdict.'),
  since: time('Time since which the verdict holds, at the earliest the start of the examined hours or days.'),
  value: { type: 'number', description: 'Measured value.' },
  threshold: { type: 'number', description: 'Threshold for the measured value.' },
  subject: nullableText(
    'Variants, application, instance or nearest known name that the verdict refers to, if any.',
    100_000,
  ),
  sentence: text('Explanation in one sentence.', 100_000),
} as const;

/** Verdicts on one feature. */
export const featureVerdictsSchema = {
  type: 'array',
  items: { title: 'FeatureVerdict', type: 'object', ...members(onFeature) },
} as const;

export const verdictsSchema = {
  title: 'Verdicts',
  type: 'object',
  ...members({
    totals: {
      type: 'array',
      description: 'Each verdict that holds, and how often, also beyond the limit.',
      items: {
        title: 'VerdictTotal',
        type: 'object',
        ...members({ verdict: text('The verdict.'), total: count('Number of items with it.') }),
      },
    },
    verdicts: {
      type: 'array',
      items: {
        title: 'Verdict',
        type: 'object',
        ...members({
          featureName: nullableText('The feature; null for a verdict on an application.'),
          appName: nullableText('The application; null for a verdict on a feature.'),
          evaluations: {
            type: ['integer', 'null'],
            minimum: 0,
            description: 'Number of evaluations behind the verdict; null for a verdict on an application.',
          },
          ...onFeature,
        }),
      },
    },
  }),
} as const;

export type Verdicts = FromSchema<typeof verdictsSchema>;
export type FeatureVerdict = FromSchema<typeof featureVerdictsSchema>[number];
