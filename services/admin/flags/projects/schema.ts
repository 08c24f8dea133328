import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, nullableTime, text, time, urlName } from '#base/schema';

export const projectSchema = {
  title: 'Project',
  type: 'object',
  description: 'A group of features.',
  ...members({
    id: text('Identifier, as used in paths.'),
    name: text('Display name.'),
    description: nullableText('What it is for.', 10_000),
    createdAt: time('When it was created.'),
  }),
} as const;

export const projectsSchema = {
  title: 'Projects',
  type: 'object',
  ...members({
    version: { type: 'integer', const: 1 },
    projects: { type: 'array', items: projectSchema },
  }),
} as const;

export const newProjectSchema = {
  title: 'NewProject',
  type: 'object',
  ...members(
    {
      id: urlName('Identifier, as used in paths.'),
      name: { ...text('Display name.'), minLength: 1 },
      description: nullableText('What it is for.', 10_000),
    },
    ['description'],
  ),
} as const;

/** Members that are absent stay as they are. */
export const projectUpdateSchema = {
  title: 'ProjectUpdate',
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    name: { ...text('Display name.'), minLength: 1 },
    description: nullableText('What it is for.', 10_000),
  },
} as const;

export const environmentSchema = {
  title: 'Environment',
  type: 'object',
  description: 'Environments, in which features are enabled or disabled.',
  ...members({
    name: text('Name.', 100),
    type: text('For example development, test, preproduction or production.'),
    enabled: { type: 'boolean' },
    sortOrder: { type: 'integer' },
  }),
} as const;

export const environmentsSchema = {
  title: 'Environments',
  type: 'object',
  ...members({
    version: { type: 'integer', const: 1 },
    environments: { type: 'array', items: environmentSchema },
  }),
} as const;

export const newEnvironmentSchema = {
  title: 'NewEnvironment',
  type: 'object',
  ...members(
    {
      name: urlName('Name.'),
      type: { ...text('For example development, test, preproduction or production.'), minLength: 1 },
      sortOrder: { type: 'integer', minimum: 0, maximum: 1_000_000 },
    },
    ['sortOrder'],
  ),
} as const;

export const exportedProjectSchema = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: urlName('Identifier.'),
    name: text('Display name.'),
    description: nullableText('What it is for.', 10_000),
    created_at: time('When it was created.'),
    archived_at: nullableTime('When it was archived.'),
  },
} as const;

export const exportedEnvironmentSchema = {
  type: 'object',
  ...members(
    {
      name: text('Name of an environment.', 100),
      type: text('For example production.'),
      enabled: { type: 'boolean' },
      sort_order: { type: 'integer' },
    },
    ['enabled', 'sort_order'],
  ),
} as const;

export type Project = FromSchema<typeof projectSchema>;
export type ProjectUpdate = FromSchema<typeof projectUpdateSchema>;
export type NewProject = FromSchema<typeof newProjectSchema>;
export type Environment = FromSchema<typeof environmentSchema>;
export type NewEnvironment = FromSchema<typeof newEnvironmentSchema>;
