import { members, nullableText, nullableUuid, text, time, uuid } from '#base/schema';
import { CHANGE_REQUEST_STATES } from './rules.ts';
import { SCHEDULE_STATUSES } from './schema.ts';

const project = text('Id of a project.');
const environment = text('Name of an environment.', 100);
const user = uuid('uid of a user.');
const token = nullableUuid('ADMIN token that acted, if any.');
const created_at = time('Time of creation.');

export const exportedApprovalRuleSchema = {
  type: 'object',
  ...members({ project, environment, required_approvals: { type: 'integer', minimum: 1, maximum: 10 } }),
} as const;

const exportedChangeSchema = {
  type: 'object',
  required: ['action', 'user'],
  properties: {
    feature: nullableText('A feature; null for a change of a segment.'),
    action: text('Action to apply.'),
    payload: { description: 'Any JSON.' },
    user,
    token_id: token,
    created_at,
  },
} as const;

const version = { type: 'integer', minimum: 1 } as const;

const exportedApprovalSchema = {
  type: 'object',
  ...members(
    {
      user,
      token_id: token,
      version: { ...version, description: 'The version that was approved; by default that of the request.' },
      created_at,
    },
    ['token_id', 'version'],
  ),
} as const;

const exportedRejectionSchema = {
  type: 'object',
  ...members({ user, token_id: token, created_at }, ['token_id']),
} as const;

const exportedCommentSchema = {
  type: 'object',
  ...members({ text: text('Text of the comment.', 1000), user, token_id: token, created_at }, [
    'token_id',
    'created_at',
  ]),
} as const;

const exportedScheduleSchema = {
  type: ['object', 'null'],
  required: ['scheduled_at', 'user'],
  properties: {
    scheduled_at: time('Time at which to apply it.'),
    version: { ...version, description: 'The version to apply; by default that of the request.' },
    user,
    token_id: token,
    status: { type: 'string', enum: SCHEDULE_STATUSES },
    reason: nullableText('Why it failed or was suspended.', 10_000),
  },
} as const;

export const exportedChangeRequestSchema = {
  type: 'object',
  required: ['uid', 'project', 'environment', 'state', 'user', 'changes'],
  properties: {
    uid: uuid('Never changes, so that an import recognises the record.'),
    project,
    environment,
    title: nullableText('Title of the change request.'),
    version: { ...version, description: 'Every edit increases it.' },
    state: {
      type: 'string',
      enum: CHANGE_REQUEST_STATES,
    },
    state_timestamps: { type: 'object' },
    min_approvals: { type: 'integer', minimum: 1, maximum: 10 },
    user,
    token_id: token,
    created_at,
    changes: { type: 'array', items: exportedChangeSchema },
    approvals: { type: 'array', items: exportedApprovalSchema },
    rejections: { type: 'array', items: exportedRejectionSchema },
    comments: { type: 'array', items: exportedCommentSchema },
    schedule: exportedScheduleSchema,
  },
} as const;
