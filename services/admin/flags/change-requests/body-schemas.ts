import type { FromSchema } from 'json-schema-to-ts';
import { members, text, time } from '#base/schema';

/** The kinds of changes (docs/develop/unleash.md#events-and-change-requests). The last two change segments. */
export const CHANGE_ACTIONS = [
  'updateEnabled',
  'archiveFeature',
  'addStrategy',
  'updateStrategy',
  'deleteStrategy',
  'patchVariant',
  'reorderStrategy',
  'addDependency',
  'deleteDependency',
  'addReleasePlan',
  'deleteReleasePlan',
  'startMilestone',
  'changeMilestoneProgression',
  'deleteMilestoneProgression',
  'resumeMilestoneProgression',
  'updateMilestoneStrategy',
  'changeReleasePlanSafeguard',
  'deleteReleasePlanSafeguard',
  'changeFeatureEnvSafeguard',
  'deleteFeatureEnvSafeguard',
  'updateSegment',
  'deleteSegment',
] as const;

const payload = {
  description:
    'Any JSON that the action needs: {"enabled": true} for updateEnabled, nothing for archiveFeature. For addStrategy a FeatureStrategyContent, for updateStrategy the same with the id, for deleteStrategy {"id": ...}, for reorderStrategy a list of StrategyPosition, for patchVariant {"variants": [...]} with weights that add up to 1000.',
} as const;

const isUpdateEnabled = {
  type: 'object',
  ...members({ action: { type: 'string', const: 'updateEnabled' } }),
} as const;
const hasEnabled = {
  type: 'object',
  ...members({
    payload: { type: 'object', ...members({ enabled: { type: 'boolean' } }) },
  }),
} as const;

const changeMembers = { action: { type: 'string', enum: CHANGE_ACTIONS }, payload } as const;

export const changeUpdateSchema = {
  title: 'ChangeUpdate',
  type: 'object',
  required: ['action'],
  properties: changeMembers,
  if: isUpdateEnabled,
  then: hasEnabled,
} as const;

export const newChangeSchema = {
  title: 'NewChange',
  type: 'object',
  required: ['action'],
  properties: { feature: text('The feature; absent for changes of segments.'), ...changeMembers },
  if: isUpdateEnabled,
  then: hasEnabled,
} as const;

/** The changes are added to the caller's open change request in the environment; a caller has at most one. */
export const newChangesSchema = {
  title: 'NewChanges',
  type: 'object',
  ...members(
    {
      title: { ...text('What it is about.'), minLength: 1 },
      changes: { type: 'array', minItems: 1, maxItems: 100, items: newChangeSchema },
    },
    ['title'],
  ),
} as const;

export const titleSchema = {
  title: 'ChangeRequestTitle',
  type: 'object',
  ...members({ title: { ...text('What it is about.'), minLength: 1 } }),
} as const;

export const commentSchema = {
  title: 'NewComment',
  type: 'object',
  ...members({ text: { ...text('What to say.', 1000), minLength: 1 } }),
} as const;

export const stateChangeSchema = {
  title: 'StateChange',
  type: 'object',
  required: ['state'],
  properties: {
    state: {
      type: 'string',
      enum: ['In review', 'Approved', 'Rejected', 'Cancelled', 'Scheduled', 'Applied'],
    },
    comment: { ...text('Comment to add.', 1000), minLength: 1 },
    scheduledAt: time('Time at which to apply the change request; only with the state Scheduled.'),
  },
  if: {
    type: 'object',
    ...members({ state: { type: 'string', const: 'Scheduled' } }),
  },
  then: { type: 'object', ...members({ scheduledAt: { type: 'string' } }) },
} as const;

export const approvalRuleSchema = {
  title: 'ApprovalRule',
  type: 'object',
  additionalProperties: false,
  ...members({
    requiredApprovals: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      description: '0 requires none: features may be archived and revived without a change request.',
    },
  }),
} as const;

type Change = { readonly action: (typeof CHANGE_ACTIONS)[number]; readonly payload?: unknown };

// The type is the one without the conditions: they only narrow `payload`, which json-schema-to-ts cannot express briefly.
export type ChangeUpdate = Change;
export type NewChange = Change & { readonly feature?: string };
export type NewChanges = { readonly title?: string; readonly changes: readonly NewChange[] };
export type StateChange = {
  readonly state: 'In review' | 'Approved' | 'Rejected' | 'Cancelled' | 'Scheduled' | 'Applied';
  readonly comment?: string;
  readonly scheduledAt?: string;
};
export type ApprovalRule = FromSchema<typeof approvalRuleSchema>;
