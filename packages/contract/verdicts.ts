import type { FromSchema } from 'json-schema-to-ts';
import { nullableText, text, time } from './schema.ts';

const members = {
  environment: text('Environment that it is about.'),
  verdict: text('What is so.'),
  since: time('Since when, as far as was looked: often the start of the hours or days that were looked at.'),
  value: { type: 'number', description: 'What was measured.' },
  threshold: { type: 'number', description: 'What it was compared with.' },
  subject: nullableText(
    'Variants, application, instance or nearest known name that it is about, where there is one.',
    100_000,
  ),
  sentence: text('Why, in one sentence.', 100_000),
} as const;

const required = ['environment', 'verdict', 'since', 'value', 'threshold', 'subject', 'sentence'] as const;

/** Verdicts on one feature. */
export const featureVerdictsSchema = {
  type: 'array',
  items: { title: 'FeatureVerdict', type: 'object', required, properties: members },
} as const;

export const verdictsSchema = {
  title: 'Verdicts',
  type: 'object',
  required: ['verdicts'],
  properties: {
    verdicts: {
      type: 'array',
      items: {
        title: 'Verdict',
        type: 'object',
        required: ['featureName', 'appName', 'evaluations', ...required],
        properties: {
          featureName: nullableText('The feature; null if it is about an application.'),
          appName: nullableText('The application; null if it is about a feature.'),
          evaluations: {
            type: ['integer', 'null'],
            minimum: 0,
            description: 'Evaluations that it was judged by; null if it is about an application.',
          },
          ...members,
        },
      },
    },
  },
} as const;

export type Verdicts = FromSchema<typeof verdictsSchema>;
export type FeatureVerdict = FromSchema<typeof featureVerdictsSchema>[number];
