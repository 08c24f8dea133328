import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, nullableTime, nullableUuid, text, time, urlName, uuid } from '#base/schema';

const owner = {
  ...nullableText('Team or person responsible for it; null if none. Spaces around it are removed.'),
  format: 'visible',
  minLength: 1,
} as const;
const tags = {
  type: 'array',
  maxItems: 100,
  uniqueItems: true,
  items: {
    ...text('A tag. Spaces around its parts are removed.', 101),
    format: 'tag',
    pattern: '^[^:]+:.+$',
  },
  description: 'Tags in the form type:value, for example team:checkout.',
} as const;

/** An impact metric that must not become worse where the feature is on; the verdict `harmful` watches it. */
export const guardSchema = {
  title: 'Guard',
  type: 'object',
  additionalProperties: false,
  ...members({
    metric: { ...text('The impact metric: a counter, or a histogram.'), minLength: 1 },
    direction: {
      type: 'string',
      enum: ['up', 'down'],
      description:
        'up if more of it is worse, for example errors; down if less is worse, for example purchases.',
    },
    threshold: {
      type: 'number',
      minimum: 0,
      maximum: 0.99,
      description: 'The change for the worse that is accepted: 0.05 accepts 5 %, 0 none.',
    },
    above: {
      type: ['number', 'null'],
      minimum: 0,
      description:
        'For a histogram: its observations above this bound are counted, for example slow responses. null for a counter.',
    },
    turnOff: {
      type: 'array',
      maxItems: 100,
      uniqueItems: true,
      items: text('An environment.', 100),
      description:
        'Environments in which flagmeter turns the feature off where it is harmful. Whoever changes it, or a guard with it, needs UPDATE_FEATURE in each of them; if one requires approvals, only Admins may.',
    },
  }),
} as const;

const guards = {
  type: 'array',
  maxItems: 20,
  items: guardSchema,
  description: 'Impact metrics that must not become worse where the feature is on.',
} as const;

const stale = { type: 'boolean', description: 'Whether it should be removed from the code.' } as const;

/** Who owns a feature. */
export const FEATURE_SOURCES = ['flagmeter', 'unleash', 'opentelemetry'] as const;
export type FeatureSource = (typeof FEATURE_SOURCES)[number];

/** What people write about a feature; store/columns.ts has the column of each member. */
const content = {
  type: text('For example release, experiment, operational, kill-switch or permission.'),
  description: nullableText('What it is for.', 10_000),
  stale,
  owner,
  tags,
  guards,
  impressionData: { type: 'boolean' },
} as const;

export const featureSchema = {
  title: 'Feature',
  type: 'object',
  description: 'A feature flag.',
  ...members({
    name: text('Unique across projects.'),
    project: text('Project of this resource.'),
    ...content,
    archived: { type: 'boolean' },
    archivedAt: nullableTime('When it was archived; null while it is active.'),
    createdAt: time('When it was created.'),
    createdBy: nullableText('Who created it, by its event feature-created; null if there is none.'),
    source: {
      type: 'string',
      enum: FEATURE_SOURCES,
      description:
        'Who owns it. Features of Unleash are copied from there; `opentelemetry` are those that only another flag system has.',
    },
    provider: nullableText(
      'The flag system of a feature of `opentelemetry`, as the SDK names it; else null.',
    ),
    favorite: { type: 'boolean', description: 'Whether it is a favourite of the caller.' },
    lastSeenAt: nullableTime(
      'Start of the last hour with evaluations, in all environments or in the one of the query; null if there is none. Up to a minute late.',
    ),
    environments: {
      type: 'array',
      items: {
        title: 'FeatureEnvironment',
        type: 'object',
        ...members({
          name: text('An environment.'),
          enabled: { type: 'boolean' },
          lastSeenAt: nullableTime('Start of the last hour with evaluations in it; null if there is none.'),
        }),
      },
    },
  }),
} as const;

export const featuresSchema = {
  title: 'Features',
  type: 'object',
  ...members({
    version: { type: 'integer', const: 1 },
    features: { type: 'array', items: featureSchema },
  }),
} as const;

export const newFeatureSchema = {
  title: 'NewFeature',
  type: 'object',
  required: ['name'],
  properties: {
    name: urlName('Unique across projects, including archived features.'),
    ...content,
    type: text('release if left out.'),
  },
} as const;

/** Members that are absent stay as they are. */
export const featureUpdateSchema = {
  title: 'FeatureUpdate',
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: { ...content, type: { ...content.type, minLength: 1 } },
} as const;

export const newProjectOfFeatureSchema = {
  title: 'NewProjectOfFeature',
  type: 'object',
  ...members({ newProjectId: text('Id of the project that the feature moves to.') }),
} as const;

/** A row of `features` in an export document; each member is a column. */
export const exportedFeatureSchema = {
  type: 'object',
  required: ['name', 'project'],
  properties: {
    name: { ...text('Name.'), minLength: 1 },
    project: text('Id of a project.'),
    type: text('For example release.'),
    description: nullableText('What it is for.', 10_000),
    stale,
    owner,
    tags,
    guards,
    impression_data: { type: 'boolean' },
    created_at: time('When it was created.'),
    archived_at: nullableTime('When it was archived.'),
  },
} as const;

export const exportedFeatureEnvironmentSchema = {
  type: 'object',
  ...members(
    {
      feature_name: text('A feature.'),
      environment: text('Name of an environment.', 100),
      enabled: { type: 'boolean' },
      strategies: { type: 'array' },
      variants: { type: 'array' },
    },
    ['strategies', 'variants'],
  ),
} as const;

export const exportedFavoriteSchema = {
  type: 'object',
  ...members(
    {
      feature: text('A feature.'),
      user: uuid('uid of a user.'),
      token_id: nullableUuid('ADMIN token that acted, if any.'),
      created_at: time('When.'),
    },
    ['token_id', 'created_at'],
  ),
} as const;

export type Feature = FromSchema<typeof featureSchema>;
export type FeatureUpdate = FromSchema<typeof featureUpdateSchema>;
export type NewProjectOfFeature = FromSchema<typeof newProjectOfFeatureSchema>;
export type NewFeature = FromSchema<typeof newFeatureSchema>;
