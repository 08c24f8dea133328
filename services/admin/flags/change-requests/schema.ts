import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, text, time } from '#base/schema';
import { CHANGE_REQUEST_STATES, UNSCHEDULED_STATES } from './rules.ts';

export const SCHEDULE_STATUSES = ['pending', 'failed', 'suspended'] as const;

const person = {
  title: 'Person',
  type: 'object',
  ...members({
    id: { type: 'integer' },
    username: nullableText('Name of the user or of the token.'),
    imageUrl: nullableText('Picture.', 2000),
  }),
} as const;

const change = {
  title: 'Change',
  type: 'object',
  ...members(
    {
      id: { type: 'integer' },
      action: text('Action to apply, for example updateEnabled.'),
      payload: { description: 'Parameters of the action; the shape depends on the action.' },
      createdBy: person,
      createdAt: time('When it was added.'),
    },
    ['payload'],
  ),
} as const;

const vote = {
  title: 'Vote',
  type: 'object',
  ...members({ createdBy: person, createdAt: time('Time of the vote.') }),
} as const;

const version = { type: 'integer', description: 'Every edit of its title or changes increases it.' } as const;

const approval = {
  title: 'Approval',
  type: 'object',
  required: [...vote.required, 'version'],
  properties: {
    ...vote.properties,
    version: { type: 'integer', description: 'The version that was read and approved.' },
  },
} as const;

const base = {
  id: { type: 'number' },
  version,
  title: text('Title of the change request.'),
  environment: text('Environment in which the changes are applied.'),
  project: text('Project of this resource.'),
  minApprovals: {
    type: 'number',
    description: 'Number of approvals needed before it can be applied: what the environment requires now.',
  },
  features: {
    type: 'array',
    items: {
      title: 'FeatureChanges',
      type: 'object',
      ...members({ name: text('The feature.'), changes: { type: 'array', items: change } }),
    },
  },
  segments: {
    type: 'array',
    items: {
      ...change,
      title: 'SegmentChange',
      properties: { ...change.properties, name: text('Segment, if the payload names one.') },
    },
  },
  approvals: { type: 'array', items: approval },
  missingApprovals: text(
    'Which approvals are missing, and why others do not count; absent if there are enough.',
    10_000,
  ),
  withdrawnApprovals: {
    type: 'array',
    items: approval,
    description: 'The last approval of each person, if an edit has withdrawn it.',
  },
  rejections: { type: 'array', items: vote },
  comments: {
    type: 'array',
    items: {
      title: 'Comment',
      type: 'object',
      ...members({
        id: { type: 'integer' },
        text: text('Text of the comment.', 1000),
        createdBy: person,
        createdAt: time('Time of the comment.'),
      }),
    },
  },
  createdBy: person,
  createdAt: time('When it was created.'),
  stateTimestamps: {
    type: 'object',
    description: 'Time at which each state was last entered, by state name.',
    additionalProperties: time('Time at which the state was last entered.'),
  },
} as const;

const REQUIRED = [
  'id',
  'version',
  'environment',
  'project',
  'minApprovals',
  'features',
  'segments',
  'approvals',
  'withdrawnApprovals',
  'rejections',
  'comments',
  'createdBy',
  'createdAt',
  'stateTimestamps',
  'state',
] as const;

/** A change request. Its `state` selects one of two variants (docs/use/senders/contract.md#change-requests-feedback-strategies-and-events). */
export const changeRequestSchema = {
  title: 'ChangeRequest',
  description: 'Change requests of all states.',
  oneOf: [
    {
      title: 'UnscheduledChangeRequest',
      type: 'object',
      required: REQUIRED,
      properties: {
        ...base,
        state: {
          type: 'string',
          enum: UNSCHEDULED_STATES,
        },
      },
    },
    {
      title: 'ScheduledChangeRequest',
      type: 'object',
      required: [...REQUIRED, 'schedule'],
      properties: {
        ...base,
        state: { type: 'string', const: 'Scheduled' },
        schedule: {
          title: 'Schedule',
          type: 'object',
          ...members(
            {
              status: { type: 'string', enum: SCHEDULE_STATUSES },
              scheduledAt: time('Time at which it will be applied.'),
              reason: text('Why it failed or was suspended.', 10_000),
            },
            ['reason'],
          ),
        },
      },
    },
  ],
} as const;

/** A change request in a list, without the payloads of its changes and without its comments. */
export const summarySchema = {
  title: 'ChangeRequestSummary',
  type: 'object',
  ...members(
    {
      id: base.id,
      title: base.title,
      environment: base.environment,
      project: base.project,
      minApprovals: base.minApprovals,
      features: { type: 'array', items: text('A feature that it changes.') },
      archivesFeatures: {
        type: 'boolean',
        description: 'Whether it archives features, which needs the permissions in every environment.',
      },
      changes: count('Number of changes, including those of segments.'),
      approvals: count('Number of approvals.'),
      rejections: count('Number of rejections.'),
      comments: count('Number of comments.'),
      createdBy: person,
      createdAt: base.createdAt,
      state: { type: 'string', enum: CHANGE_REQUEST_STATES },
      scheduledAt: time('Time at which it will be applied; only for scheduled change requests.'),
    },
    ['title', 'scheduledAt'],
  ),
} as const;

export const changeRequestsSchema = {
  title: 'ChangeRequests',
  description: 'Newest first.',
  type: 'array',
  items: summarySchema,
} as const;

const content = {
  title: 'ChangeContent',
  type: 'object',
  ...members({ action: change.properties.action, payload: change.properties.payload }, ['payload']),
} as const;

/** What has changed between a version that somebody has read and now. */
export const differencesSchema = {
  title: 'ChangeRequestDifferences',
  type: 'object',
  ...members(
    {
      since: { type: 'integer', description: 'The version that is compared with the current one.' },
      version,
      title: {
        title: 'TitleDifference',
        type: 'object',
        description: 'Absent if the title is the same.',
        ...members({ before: nullableText('Title before.'), after: nullableText('Title now.') }),
      },
      changes: {
        type: 'array',
        items: {
          title: 'ChangeDifference',
          type: 'object',
          description: 'before is absent if the change was added, after is absent if it was removed.',
          required: ['id'],
          properties: {
            id: { type: 'integer' },
            feature: text('The feature; absent for a change of a segment.'),
            before: content,
            after: content,
          },
        },
      },
    },
    ['title'],
  ),
} as const;

export type Differences = FromSchema<typeof differencesSchema>;
export type ChangeRequest = FromSchema<typeof changeRequestSchema>;
export type ChangeRequestSummary = FromSchema<typeof summarySchema>;
