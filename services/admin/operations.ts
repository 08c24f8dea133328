import type { TargetRules } from './advice/webhooks/index.ts';
import { accountingOperations } from './usage/accounting/operations.ts';
import { applicationOperations } from './usage/applications/operations.ts';
import { auditOperations } from './record/audit/operations.ts';
import { changeRequestEditOperations } from './flags/change-requests/edit-operations.ts';
import { changeRequestOperations } from './flags/change-requests/operations.ts';
import { cleanUpOperations } from './advice/clean-ups/operations.ts';
import { codeReferenceOperations } from './advice/code-references/operations.ts';
import { eventOperations } from './record/events/operations.ts';
import { featureStrategyOperations } from './flags/feature-strategies/operations.ts';
import { featureOperations } from './flags/features/operations.ts';
import type { PassOn } from './flags/features/change/pass-on.ts';
import { feedbackOperations } from './flags/feedback/operations.ts';
import { flagDebtOperations } from './advice/flag-debt/operations.ts';
import type { Operation } from './http/operation.ts';
import { impactOperations } from './usage/impact/operations.ts';
import { notificationOperations } from './advice/notifications/operations.ts';
import { personalTokenOperations } from './people/personal-tokens/operations.ts';
import { projectChangeOperations } from './flags/projects/change-operations.ts';
import { environmentOperations } from './flags/projects/environments.ts';
import { projectOperations } from './flags/projects/operations.ts';
import { refusalOperations } from './usage/refusals/operations.ts';
import { relayOperations } from './usage/relays/operations.ts';
import { rejectedBodyOperations } from './usage/rejected-bodies/operations.ts';
import { accessOperations } from './people/roles/access-operations.ts';
import { roleOperations } from './people/roles/operations.ts';
import { searchOperations } from './doors/search/operations.ts';
import type { Stores } from './stores.ts';
import { sessionOperations } from './people/sessions/operations.ts';
import { strategyOperations } from './flags/strategies/operations.ts';
import { type TokenParts, tokenOperations } from './people/tokens/operations.ts';
import { unknownFlagOperations } from './advice/unknown-flags/operations.ts';
import { usageOperations } from './usage/totals/operations.ts';
import { seriesOperations } from './usage/totals/series-operations.ts';
import { coverageOperations } from './usage/coverage/operations.ts';
import { callerOperations } from './people/users/caller-operations.ts';
import { userOperations } from './people/users/operations.ts';
import { recordedVerdictOperations } from './advice/verdicts/recorded-operations.ts';
import { verdictOperations } from './advice/verdicts/operations.ts';

export type OperationParts = TokenParts & {
  readonly passOn: PassOn;
  /** Where messages may be sent. */
  readonly targetRules: TargetRules;
};

/** Every operation of the admin API, for the router and the OpenAPI document. */
export function createOperations(
  stores: Stores,
  { announce, maxTokenDays, passOn, targetRules }: OperationParts,
): readonly Operation[] {
  return [
    ...projectOperations(stores.pools.db),
    ...projectChangeOperations(stores.pools.db),
    ...environmentOperations(stores.pools.db),
    ...featureOperations(stores.pools, passOn),
    ...featureStrategyOperations(stores.pools.db),
    ...changeRequestOperations(stores.changeRequests),
    ...changeRequestEditOperations(stores.changeRequests),
    ...strategyOperations(stores.pools),
    ...feedbackOperations(stores.pools),
    ...eventOperations(stores.events),
    ...auditOperations(stores.audit),
    ...searchOperations(stores.search),
    ...usageOperations(stores.usage),
    ...seriesOperations(stores.usage),
    ...impactOperations(stores),
    ...applicationOperations(stores.applications),
    ...relayOperations(stores.relays),
    ...unknownFlagOperations(stores.unknownFlags),
    ...verdictOperations(stores),
    ...recordedVerdictOperations(stores.pools),
    ...cleanUpOperations(stores.pools),
    ...flagDebtOperations(stores.flagDebt),
    ...notificationOperations(stores.notifications, targetRules),
    ...codeReferenceOperations(stores),
    ...accountingOperations(stores.accounting),
    ...coverageOperations(stores.readCoverage),
    ...refusalOperations(stores.refusals),
    ...rejectedBodyOperations(stores.rejectedBodies),
    ...tokenOperations(stores.apiTokens, { announce, maxTokenDays }),
    ...callerOperations(stores.users),
    ...roleOperations(stores.roles, announce),
    ...accessOperations(stores.roles, announce),
    ...userOperations(stores.users, announce),
    ...personalTokenOperations(stores.personalTokens, { announce, maxTokenDays }),
    ...sessionOperations(stores.sessions, announce),
  ];
}
