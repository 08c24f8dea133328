import type { FromSchema } from 'json-schema-to-ts';
import { nullableText, text, time } from './schema.ts';

const person = {
  title: 'Person',
  type: 'object',
  required: ['id', 'username', 'imageUrl'],
  properties: {
    id: { type: 'integer' },
    username: nullableText('Name of the user or of the token.'),
    imageUrl: nullableText('Picture.', 2000),
  },
} as const;

const change = {
  title: 'Change',
  type: 'object',
  required: ['id', 'action', 'createdBy', 'createdAt'],
  properties: {
    id: { type: 'integer' },
    action: text('What is to be done, such as updateEnabled.'),
    payload: { description: 'What the action needs; its shape depends on it.' },
    createdBy: person,
    createdAt: time('When it was added.'),
  },
} as const;

const vote = {
  title: 'Vote',
  type: 'object',
  required: ['createdBy', 'createdAt'],
  properties: { createdBy: person, createdAt: time('When.') },
} as const;

const base = {
  id: { type: 'number' },
  title: text('What it is about.'),
  environment: text('Where the changes are applied.'),
  project: text('The project it belongs to.'),
  minApprovals: { type: 'number', description: 'Approvals it needs before it can be applied.' },
  features: {
    type: 'array',
    items: {
      title: 'FeatureChanges',
      type: 'object',
      required: ['name', 'changes'],
      properties: { name: text('The feature.'), changes: { type: 'array', items: change } },
    },
  },
  segments: {
    type: 'array',
    items: {
      ...change,
      title: 'SegmentChange',
      properties: { ...change.properties, name: text('The segment, when the payload names it.') },
    },
  },
  approvals: { type: 'array', items: vote },
  rejections: { type: 'array', items: vote },
  comments: {
    type: 'array',
    items: {
      title: 'Comment',
      type: 'object',
      required: ['id', 'text', 'createdBy', 'createdAt'],
      properties: {
        id: { type: 'integer' },
        text: text('What was said.', 1000),
        createdBy: person,
        createdAt: time('When.'),
      },
    },
  },
  createdBy: person,
  createdAt: time('When it was created.'),
  stateTimestamps: {
    type: 'object',
    description: 'When each state was last entered, by its name.',
    additionalProperties: time('When.'),
  },
} as const;

const REQUIRED = [
  'id',
  'environment',
  'project',
  'minApprovals',
  'features',
  'segments',
  'approvals',
  'rejections',
  'comments',
  'createdBy',
  'createdAt',
  'stateTimestamps',
  'state',
] as const;

/** A change request (interface-spec 2.2): one of two variants, told apart by `state`. */
export const changeRequestSchema = {
  title: 'ChangeRequest',
  description: 'Changes that wait for approval, or have been decided upon.',
  oneOf: [
    {
      title: 'UnscheduledChangeRequest',
      type: 'object',
      required: REQUIRED,
      properties: {
        ...base,
        state: {
          type: 'string',
          enum: ['Draft', 'In review', 'Approved', 'Applied', 'Cancelled', 'Rejected'],
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
          required: ['status', 'scheduledAt'],
          properties: {
            status: { type: 'string', enum: ['pending', 'failed', 'suspended'] },
            scheduledAt: time('When it is to be applied.'),
            reason: text('Why it failed or was suspended.', 10_000),
          },
        },
      },
    },
  ],
} as const;

export const changeRequestsSchema = {
  title: 'ChangeRequests',
  description: 'Newest first.',
  type: 'array',
  items: changeRequestSchema,
} as const;

export type ChangeRequest = FromSchema<typeof changeRequestSchema>;
