import {
  exportedApprovalRuleSchema,
  exportedChangeRequestSchema,
} from '../../flags/change-requests/exported-schema.ts';
import { exportedEventSchema } from '../../record/events/schema.ts';
import {
  exportedFavoriteSchema,
  exportedFeatureEnvironmentSchema,
  exportedFeatureSchema,
} from '../../flags/features/schema.ts';
import { exportedFeedbackSchema } from '../../flags/feedback/schema.ts';
import { exportedSubscriptionSchema } from '../../advice/notifications/exported-schema.ts';
import { exportedPersonalTokenSchema } from '../../people/personal-tokens/schema.ts';
import { exportedEnvironmentSchema, exportedProjectSchema } from '../../flags/projects/schema.ts';
import { exportedProjectRoleSchema, exportedRoleSchema } from '../../people/roles/schema.ts';
import { exportedStrategySchema } from '../../flags/strategies/schema.ts';
import { exportedApiTokenSchema } from '../../people/tokens/schema.ts';
import { exportedUserSchema } from '../../people/users/schema.ts';
import { exportedVerdictSchema } from '../../advice/verdicts/recorded-schema.ts';

const listOf = <S extends object>(items: S) => ({ type: 'array', items }) as const;

/** All data of the admin service as one document; every part is optional. */
export const exchangeSchema = {
  type: 'object',
  required: ['format', 'version'],
  properties: {
    format: { type: 'string', const: 'flagmeter' },
    version: { type: 'integer', const: 1 },
    users: listOf(exportedUserSchema),
    api_tokens: listOf(exportedApiTokenSchema),
    personal_access_tokens: listOf(exportedPersonalTokenSchema),
    projects: listOf(exportedProjectSchema),
    environments: listOf(exportedEnvironmentSchema),
    roles: listOf(exportedRoleSchema),
    project_roles: listOf(exportedProjectRoleSchema),
    features: listOf(exportedFeatureSchema),
    feature_environments: listOf(exportedFeatureEnvironmentSchema),
    favorite_features: listOf(exportedFavoriteSchema),
    strategies: listOf(exportedStrategySchema),
    feedback: listOf(exportedFeedbackSchema),
    change_request_settings: listOf(exportedApprovalRuleSchema),
    change_requests: listOf(exportedChangeRequestSchema),
    notification_subscriptions: listOf(exportedSubscriptionSchema),
    verdicts: listOf(exportedVerdictSchema),
    events: listOf(exportedEventSchema),
  },
} as const;

/** The parts in an order in which each one refers only to earlier ones. */
export const EXCHANGE_PARTS = [
  'users',
  'api_tokens',
  'personal_access_tokens',
  'projects',
  'environments',
  'roles',
  'project_roles',
  'features',
  'feature_environments',
  'favorite_features',
  'strategies',
  'feedback',
  'change_request_settings',
  'change_requests',
  'notification_subscriptions',
  'verdicts',
  'events',
] as const;

export type ExchangePart = (typeof EXCHANGE_PARTS)[number];

/** Rows go to Postgres as JSON, so their types are not needed, and deriving the types would cost tsc seconds. */
export type Exchange = { readonly format: 'flagmeter'; readonly version: 1 } & {
  readonly [part in Exclude<ExchangePart, 'change_requests'>]?: readonly object[];
} & { readonly change_requests?: readonly ExportedChangeRequest[] };

export type ExportedChangeRequest = {
  readonly uid: string;
  readonly changes: readonly object[];
  readonly approvals?: readonly object[];
  readonly rejections?: readonly object[];
  readonly comments?: readonly object[];
  readonly schedule?: object | null;
};
