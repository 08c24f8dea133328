import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, text, time } from '#base/schema';

/** Of one push; more help nobody. */
export const MAX_REFERENCES = 10_000;
/** Of a push: its references, with names and paths of usual length. */
export const MAX_PUSH_BYTES = 2 * 1024 * 1024;
export const MAX_PATH_LENGTH = 1000;

/** The columns hold 32 bits. */
const MAX_INTEGER = 2 ** 31 - 1;

const name = (description: string) => ({ ...text(description), minLength: 1 }) as const;

const place = {
  path: { ...text('Path of the file from the root of the repository.', MAX_PATH_LENGTH), minLength: 1 },
  line: { type: 'integer', minimum: 1, maximum: MAX_INTEGER },
  kind: {
    type: 'string',
    enum: ['call', 'mention'],
    description: 'call: the name is an argument of an SDK; mention: anything else.',
  },
} as const;

const scanned = {
  repository: name('Name of the repository, for example github.com/acme/shop.'),
  branch: name('The scanned branch.'),
  commit: { type: 'string', pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$', description: 'The scanned commit.' },
  committedAt: time('When it was committed. A push of an earlier commit of the branch is rejected.'),
  linkTemplate: {
    type: ['string', 'null'],
    maxLength: 1000,
    pattern: '^https?://[^\\s"<>\\\\]+$',
    format: 'storable',
    description: 'Address of a line of a file, with {commit}, {path} and {line}; null if there is none.',
  },
  leftOut: {
    ...count('Places that were found and not pushed, because there were too many.'),
    maximum: MAX_INTEGER,
  },
} as const;

const describedRepository = {
  id: { type: 'integer' },
  ...scanned,
  pushedAt: time('When it was pushed last.'),
  pushedBy: text('Name of the token or user that pushed last.'),
} as const;

export const describedSchema = { type: 'object', ...members(describedRepository) } as const;

export const pushSchema = {
  title: 'CodeReferencesPush',
  type: 'object',
  additionalProperties: false,
  ...members(
    {
      ...scanned,
      references: {
        type: 'array',
        maxItems: MAX_REFERENCES,
        items: {
          title: 'CodeReference',
          type: 'object',
          additionalProperties: false,
          ...members({ featureName: name('A feature, or an unknown name that is evaluated.'), ...place }),
        },
      },
    },
    ['linkTemplate', 'leftOut'],
  ),
} as const;

export const repositorySchema = {
  title: 'CodeRepository',
  type: 'object',
  ...members({ ...describedRepository, places: count('Lines that name a feature.') }),
} as const;

export const repositoriesSchema = {
  title: 'CodeRepositories',
  type: 'object',
  ...members({ repositories: { type: 'array', items: repositorySchema } }),
} as const;

export const featureReferencesSchema = {
  title: 'CodeReferencesOfFeature',
  type: 'object',
  ...members({
    featureName: text('The name.'),
    total: count('Lines that have the name. At most 1,000 of them are listed, calls first.'),
    repositories: {
      type: 'array',
      description: 'The branches with such lines, by repository.',
      items: {
        title: 'CodeRepositoryOfFeature',
        type: 'object',
        ...members({
          ...describedRepository,
          places: {
            type: 'array',
            items: { title: 'CodePlace', type: 'object', ...members(place) },
          },
        }),
      },
    },
  }),
} as const;

/** How many places a name has. */
export const referenceCountSchema = {
  title: 'CodeReferenceCount',
  type: 'object',
  ...members({
    featureName: text('A feature, or a name that no feature has.'),
    calls: count('Lines with a call.'),
    mentions: count('Other lines.'),
    repositories: count('Different repositories.'),
  }),
} as const;

export const referenceCountsSchema = {
  title: 'CodeReferenceCounts',
  type: 'object',
  ...members({ features: { type: 'array', items: referenceCountSchema } }),
} as const;

const searchedNameSchema = {
  title: 'SearchedName',
  type: 'object',
  ...members({
    name: text('What to search for.'),
    project: nullableText('Its project; null if no feature has the name.'),
    state: {
      type: 'string',
      enum: ['active', 'archived', 'unknown'],
      description: 'unknown: applications evaluate it, and no feature has the name.',
    },
  }),
} as const;

export const searchedNamesSchema = {
  title: 'SearchedNames',
  type: 'object',
  ...members({ names: { type: 'array', items: searchedNameSchema } }),
} as const;

export type Push = FromSchema<typeof pushSchema>;
/** A branch of a repository, without its places. */
export type DescribedRepository = FromSchema<typeof describedSchema>;
export type CodeRepository = FromSchema<typeof repositorySchema>;
export type FeatureReferences = FromSchema<typeof featureReferencesSchema>;
export type ReferenceCount = FromSchema<typeof referenceCountSchema>;
export type SearchedName = FromSchema<typeof searchedNameSchema>;
