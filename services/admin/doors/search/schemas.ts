import type { FromSchema } from 'json-schema-to-ts';
import { type JsonSchema, count, members, text } from '#base/schema';
import { applicationsSchema } from '../../usage/applications/schema.ts';
import { CHANGE_REQUEST_STATES } from '../../flags/change-requests/rules.ts';
import { summarySchema } from '../../flags/change-requests/schema.ts';
import { eventSchema } from '../../record/events/schema.ts';
import { featureSchema } from '../../flags/features/schema.ts';
import { unknownFlagSchema } from '../../advice/unknown-flags/schema.ts';
import { FEATURE_VERDICTS } from '../../advice/verdicts/thresholds.ts';

/** The parameters of every list. */
const paging = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    default: 100,
    description: 'Maximum number of items. A page ends earlier after 128 KiB of long texts.',
  },
  cursor: {
    type: 'string',
    maxLength: 4000,
    description: 'nextCursor of the previous page. The sort must be the same.',
  },
} as const;

const SORT = 'Order of the items; a minus reverses it.';
const search = (members: string) =>
  ({
    type: 'string',
    maxLength: 255,
    format: 'storable',
    description: `Words that ${members} has, in any order and case.`,
  }) as const;
const exactly = (description: string) =>
  ({ type: 'string', maxLength: 255, format: 'storable', description }) as const;
const atTime = (description: string) => ({ type: 'string', format: 'date-time', description }) as const;

export const featuresQuery = {
  type: 'object',
  properties: {
    ...paging,
    sort: {
      type: 'string',
      enum: ['name', '-name', 'createdAt', '-createdAt', 'lastSeenAt', '-lastSeenAt'],
      default: 'name',
      description: SORT,
    },
    search: search('the name, description, owner or a tag'),
    project: exactly('Only features of this project.'),
    type: exactly('Only features of this type.'),
    owner: exactly('Only features of this owner.'),
    tag: exactly('Only features with this tag, for example team:checkout.'),
    archived: { type: 'boolean', default: false, description: 'Archived features instead of active ones.' },
    stale: { type: 'boolean', description: 'Only features that are stale, or only others.' },
    favorite: { type: 'boolean', description: 'Only favourites of the caller, or only others.' },
    verdict: { type: 'string', enum: FEATURE_VERDICTS, description: 'Only features with this verdict.' },
    environment: exactly(
      'The environment in which lastSeenAt, seenSince and notSeenSince look; all if absent.',
    ),
    seenSince: atTime('Only features whose last hour with evaluations begins at this time or later.'),
    notSeenSince: atTime(
      'Only features whose last hour with evaluations begins before this time, or never was.',
    ),
  },
} as const;

export const eventsQuery = {
  type: 'object',
  properties: {
    ...paging,
    sort: { type: 'string', enum: ['createdAt', '-createdAt'], default: '-createdAt', description: SORT },
    search: { ...search('the type, the feature or createdBy'), minLength: 3 },
    project: exactly('Only events of this project.'),
    feature: exactly('Only events of this feature.'),
    type: exactly('Only events of this type.'),
    exceptType: exactly('Only events of other types than this one.'),
    from: atTime('Only events from this time on.'),
    to: atTime('Only events before this time.'),
  },
} as const;

export const changeRequestsQuery = {
  type: 'object',
  properties: {
    ...paging,
    limit: { ...paging.limit, maximum: 100 },
    sort: {
      type: 'string',
      enum: ['id', '-id', 'createdAt', '-createdAt', 'state', '-state'],
      default: '-id',
      description: SORT,
    },
    search: search('the title'),
    project: exactly('Only change requests of this project.'),
    environment: exactly('Only change requests for this environment.'),
    feature: exactly('Only change requests that change this feature.'),
    state: {
      type: 'string',
      enum: CHANGE_REQUEST_STATES,
      description: 'Only change requests in this state.',
    },
  },
} as const;

export const applicationsQuery = {
  type: 'object',
  properties: {
    ...paging,
    limit: { ...paging.limit, maximum: 100 },
    sort: {
      type: 'string',
      enum: ['appName', '-appName', 'seenAt', '-seenAt'],
      default: 'appName',
      description: SORT,
    },
    search: search('the name'),
    appName: exactly('Only the application with this name.'),
    project: exactly('Only applications that use this project.'),
    environment: exactly('Only applications that were seen in this environment.'),
    seenSince: atTime('Only applications that were seen at this time or later.'),
    notSeenSince: atTime('Only applications that were last seen before this time.'),
  },
} as const;

export const unknownFlagsQuery = {
  type: 'object',
  properties: {
    ...paging,
    limit: { ...paging.limit, maximum: 100, description: 'Maximum number of items.' },
    sort: {
      type: 'string',
      enum: ['name', '-name', 'lastSeenAt', '-lastSeenAt', 'count', '-count'],
      default: '-lastSeenAt',
      description: SORT,
    },
    search: { ...search('the name'), description: 'Part of the name, in any case.' },
    appName: exactly('Only flags that this application evaluates.'),
    environment: exactly('Only flags that are evaluated in this environment.'),
    seenSince: atTime('Only flags whose last hour with evaluations begins at this time or later.'),
    notSeenSince: atTime('Only flags whose last hour with evaluations begins before this time.'),
  },
} as const;

export const evaluatedFeaturesQuery = {
  type: 'object',
  properties: {
    ...paging,
    limit: { ...paging.limit, description: 'Maximum number of items.' },
    sort: {
      type: 'string',
      enum: ['name', '-name', 'count', '-count'],
      default: '-count',
      description: `${SORT} count is the sum of yes, no and unknown.`,
    },
    appName: exactly('Only evaluations by this application.'),
    environment: exactly('Only evaluations in this environment.'),
    from: atTime(
      'Only evaluations since this time: whole hours if it is less than 8 days ago, otherwise whole days (UTC). 30 days ago if left out.',
    ),
    to: atTime('Only evaluations in hours or days that begin before this time.'),
  },
} as const;

const evaluatedFeatureSchema = {
  title: 'EvaluatedFeature',
  type: 'object',
  description: 'Evaluations of a feature in an environment, in a time window.',
  ...members({
    name: text('The feature, which may be unknown.'),
    environment: text('Environment of the evaluations.'),
    yes: count('Evaluations that were enabled.'),
    no: count('Evaluations that were disabled.'),
    unknown: count('Evaluations whose result the sender did not report: neither yes nor no.'),
  }),
} as const;

export type FeaturesQuery = FromSchema<typeof featuresQuery>;
export type EventsQuery = FromSchema<typeof eventsQuery>;
export type ChangeRequestsQuery = FromSchema<typeof changeRequestsQuery>;
export type ApplicationsQuery = FromSchema<typeof applicationsQuery>;
export type UnknownFlagsQuery = FromSchema<typeof unknownFlagsQuery>;
export type EvaluatedFeaturesQuery = FromSchema<typeof evaluatedFeaturesQuery>;
export type EvaluatedFeature = FromSchema<typeof evaluatedFeatureSchema>;

/** A page of items: the answer of every list. */
function pageOf(title: string, items: JsonSchema): JsonSchema {
  return {
    title,
    type: 'object',
    ...members({
      items: { type: 'array', items },
      nextCursor: { type: ['string', 'null'], description: 'Cursor of the next page; null on the last one.' },
    }),
  };
}

export const PAGE_SCHEMAS = {
  features: pageOf('PageOfFeatures', featureSchema),
  events: pageOf('PageOfEvents', eventSchema),
  changeRequests: pageOf('PageOfChangeRequests', summarySchema),
  applications: pageOf('PageOfApplications', applicationsSchema.properties.applications.items),
  unknownFlags: pageOf('PageOfUnknownFlags', unknownFlagSchema),
  evaluatedFeatures: pageOf('PageOfEvaluatedFeatures', evaluatedFeatureSchema),
} as const;
