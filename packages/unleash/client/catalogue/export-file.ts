import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard, nullableText, text } from '#base/schema';
import { listOf, strategy, variant } from './shapes.ts';

const name = { ...text('Name.'), minLength: 1 } as const;
const flag = { type: 'boolean' } as const;
const anything = { type: 'array' } as const;

/**
 * The members that we read from a file of Unleash's `POST /api/admin/features-batch/export` (docs/develop/unleash.md#export-file). Such
 * a file has the features of one environment.
 */
const exportFileShape = {
  type: 'object',
  required: ['features', 'featureStrategies', 'featureEnvironments'],
  properties: {
    features: listOf({
      type: 'object',
      required: ['name', 'project'],
      properties: {
        name,
        project: name,
        type: name,
        description: nullableText('What it is for.', 1_000_000),
        stale: flag,
        impressionData: flag,
        archived: flag,
      },
    } as const),
    featureStrategies: listOf({
      type: 'object',
      required: ['name', 'featureName'],
      properties: { ...strategy.properties, featureName: name, sortOrder: { type: ['number', 'null'] } },
    } as const),
    featureEnvironments: listOf({
      type: 'object',
      required: ['featureName', 'environment', 'enabled'],
      properties: {
        featureName: name,
        environment: { ...text('Name of an environment.', 100), minLength: 1 },
        enabled: flag,
        variants: listOf(variant),
      },
    } as const),
    contextFields: anything,
    dependencies: anything,
    featureTags: listOf({
      type: 'object',
      required: ['featureName', 'tagType', 'tagValue'],
      properties: { featureName: name, tagType: name, tagValue: name },
    } as const),
    links: anything,
    segments: anything,
    tagTypes: anything,
  },
} as const;

export type UnleashExport = FromSchema<typeof exportFileShape>;
export const isUnleashExport = compileGuard<UnleashExport>(exportFileShape);
