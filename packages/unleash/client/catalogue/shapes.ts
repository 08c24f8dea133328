import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard, nullableText, text, time } from '#base/schema';

/**
 * The members that we read from the answers of Unleash's admin API (docs/develop/unleash.md#catalogue). Other members are ignored. A
 * member of the wrong type makes the answer an error, because a guess would end up in our tables.
 */
const name = text('Name.');
const environmentName = text('Name of an environment.', 100);
const description = nullableText('What it is for.', 1_000_000);
const flag = { type: 'boolean' } as const;
const anyObject = { type: 'object' } as const;
export const listOf = <const S>(items: S) => ({ type: 'array', items }) as const;

export const variant = {
  type: 'object',
  required: ['name', 'weight'],
  properties: {
    name,
    weight: { type: 'number' },
    weightType: text('fix or variable.'),
    stickiness: text('What keeps the answer stable.'),
    payload: anyObject,
  },
} as const;

export const strategy = {
  type: 'object',
  required: ['name'],
  properties: {
    id: text('Identifier.'),
    name,
    title: nullableText('Title.'),
    disabled: { type: ['boolean', 'null'] },
    parameters: anyObject,
    constraints: listOf(anyObject),
    segments: listOf({ type: 'number' } as const),
    variants: listOf(variant),
  },
} as const;

const tags = listOf({
  type: 'object',
  required: ['type', 'value'],
  properties: { type: text('Type.'), value: text('Value.') },
} as const);

const featureMembers = {
  name,
  type: text('For example release.'),
  description,
  stale: flag,
  impressionData: flag,
  tags,
  createdAt: time('When it was created.'),
} as const;
const featureRequired = ['name', 'type', 'createdAt', 'environments'] as const;

const environmentState = {
  type: 'object',
  required: ['name', 'enabled'],
  properties: { name: environmentName, enabled: flag },
} as const;

const projectsShape = {
  type: 'object',
  required: ['projects'],
  properties: {
    projects: listOf({
      type: 'object',
      required: ['id', 'name', 'createdAt'],
      properties: { id: name, name, description, createdAt: time('When it was created.') },
    } as const),
  },
} as const;

const environmentsShape = {
  type: 'object',
  required: ['environments'],
  properties: {
    environments: listOf({
      type: 'object',
      required: ['name', 'type', 'enabled'],
      properties: {
        name: environmentName,
        type: text('For example production.'),
        enabled: flag,
        sortOrder: { type: 'integer' },
      },
    } as const),
  },
} as const;

const strategiesShape = {
  type: 'object',
  required: ['strategies'],
  properties: {
    strategies: listOf({
      type: 'object',
      required: ['name', 'parameters'],
      properties: {
        name,
        displayName: nullableText('Display name.'),
        title: nullableText('Title.'),
        description,
        editable: flag,
        deprecated: flag,
        parameters: listOf(anyObject),
      },
    } as const),
  },
} as const;

const applicationsShape = {
  type: 'object',
  required: ['applications'],
  properties: {
    applications: listOf({
      type: 'object',
      required: ['appName'],
      properties: {
        appName: name,
        description: nullableText('Description of the application.'),
        url: nullableText('Where it is.'),
        color: nullableText('Colour in lists.'),
        icon: nullableText('Address of an icon.'),
      },
    } as const),
  },
} as const;

const featureListShape = {
  type: 'object',
  required: ['features'],
  properties: {
    features: listOf({
      type: 'object',
      required: featureRequired,
      properties: { ...featureMembers, environments: listOf(environmentState) },
    } as const),
  },
} as const;

const archivedFeaturesShape = {
  type: 'object',
  required: ['features', 'total'],
  properties: {
    total: { type: 'integer' },
    features: listOf({
      type: 'object',
      required: [...featureRequired, 'project', 'archivedAt'],
      properties: {
        ...featureMembers,
        project: name,
        archivedAt: time('When it was archived.'),
        environments: listOf(environmentState),
      },
    } as const),
  },
} as const;

const featureShape = {
  type: 'object',
  required: [...featureRequired, 'project'],
  properties: {
    ...featureMembers,
    project: name,
    environments: listOf({
      type: 'object',
      required: ['name', 'enabled', 'strategies'],
      properties: {
        ...environmentState.properties,
        strategies: listOf(strategy),
        variants: listOf(variant),
      },
    } as const),
  },
} as const;

const tagsShape = { type: 'object', required: ['tags'], properties: { tags } } as const;

const eventsShape = {
  type: 'object',
  required: ['events', 'total'],
  properties: {
    total: { type: 'integer' },
    events: listOf({
      type: 'object',
      required: ['id', 'type', 'createdBy', 'createdAt'],
      properties: {
        id: { type: 'integer' },
        type: name,
        createdBy: name,
        createdAt: time('When it happened.'),
        data: { type: ['object', 'array', 'null'] },
        preData: { type: ['object', 'array', 'null'] },
        tags: { type: ['array', 'null'] },
        project: nullableText('Project.'),
        environment: nullableText('Environment.'),
        featureName: nullableText('Feature.'),
      },
    } as const),
  },
} as const;

type Projects = FromSchema<typeof projectsShape>;
type Environments = FromSchema<typeof environmentsShape>;
type Strategies = FromSchema<typeof strategiesShape>;
type Applications = FromSchema<typeof applicationsShape>;
type FeatureList = FromSchema<typeof featureListShape>;
type ArchivedFeatures = FromSchema<typeof archivedFeaturesShape>;
type Tags = FromSchema<typeof tagsShape>;
type Events = FromSchema<typeof eventsShape>;

export type UnleashVariant = FromSchema<typeof variant>;
/** A strategy of a feature; `UnleashStrategy` is a type of strategies. */
export type UnleashStrategyUse = FromSchema<typeof strategy>;
export type UnleashProject = Projects['projects'][number];
export type UnleashEnvironment = Environments['environments'][number];
export type UnleashStrategy = Strategies['strategies'][number];
export type UnleashApplication = Applications['applications'][number];
export type ListedFeature = FeatureList['features'][number];
export type ArchivedFeature = ArchivedFeatures['features'][number];
export type UnleashFeature = FromSchema<typeof featureShape>;
export type UnleashEvent = Events['events'][number];

export const isProjects = compileGuard<Projects>(projectsShape);
export const isEnvironments = compileGuard<Environments>(environmentsShape);
export const isStrategies = compileGuard<Strategies>(strategiesShape);
export const isApplications = compileGuard<Applications>(applicationsShape);
export const isFeatureList = compileGuard<FeatureList>(featureListShape);
export const isArchivedFeatures = compileGuard<ArchivedFeatures>(archivedFeaturesShape);
export const isFeature = compileGuard<UnleashFeature>(featureShape);
export const isTags = compileGuard<Tags>(tagsShape);
export const isEvents = compileGuard<Events>(eventsShape);
