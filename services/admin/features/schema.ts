import type { FromSchema } from 'json-schema-to-ts';
import { nullableText, nullableTime, text, time, urlName } from '#schema';

export const featureSchema = {
  title: 'Feature',
  type: 'object',
  description: 'A feature flag.',
  required: [
    'name',
    'project',
    'type',
    'description',
    'stale',
    'impressionData',
    'archived',
    'archivedAt',
    'createdAt',
    'favorite',
    'environments',
  ],
  properties: {
    name: text('Unique across projects.'),
    project: text('Project of this resource.'),
    type: text('For example release, experiment, operational, kill-switch or permission.'),
    description: nullableText('What it is for.', 10_000),
    stale: { type: 'boolean' },
    impressionData: { type: 'boolean' },
    archived: { type: 'boolean' },
    archivedAt: nullableTime('When it was archived; null while it is active.'),
    createdAt: time('When it was created.'),
    favorite: { type: 'boolean', description: 'Whether it is a favourite of the caller.' },
    environments: {
      type: 'array',
      items: {
        title: 'FeatureEnvironment',
        type: 'object',
        required: ['name', 'enabled'],
        properties: { name: text('An environment.'), enabled: { type: 'boolean' } },
      },
    },
  },
} as const;

export const featuresSchema = {
  title: 'Features',
  type: 'object',
  required: ['version', 'features'],
  properties: {
    version: { type: 'integer', const: 1 },
    features: { type: 'array', items: featureSchema },
  },
} as const;

export const newFeatureSchema = {
  title: 'NewFeature',
  type: 'object',
  required: ['name'],
  properties: {
    name: urlName('Unique across projects, including archived features.'),
    type: text('release if left out.'),
    description: nullableText('What it is for.', 10_000),
    impressionData: { type: 'boolean' },
  },
} as const;

export type Feature = FromSchema<typeof featureSchema>;
export type NewFeature = FromSchema<typeof newFeatureSchema>;
