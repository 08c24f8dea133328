import type { TargetRules } from '#notifications';
import { accountingOperations } from './accounting/operations.ts';
import { applicationOperations } from './applications/operations.ts';
import { auditOperations } from './audit/operations.ts';
import { changeRequestEditOperations } from './change-requests/edit-operations.ts';
import { changeRequestOperations } from './change-requests/operations.ts';
import { cleanUpOperations } from './clean-ups/operations.ts';
import { codeReferenceOperations } from './code-references/operations.ts';
import { eventOperations } from './events/operations.ts';
import { featureStrategyOperations } from './feature-strategies/operations.ts';
import { archiveOperations } from './features/archive-operations.ts';
import { enableOperations } from './features/enable-operations.ts';
import { favoriteOperations } from './features/favorite-operations.ts';
import { featureOperations } from './features/operations.ts';
import type { PassOn } from './features/pass-on.ts';
import { feedbackOperations } from './feedback/operations.ts';
import { flagDebtOperations } from './flag-debt/operations.ts';
import type { Operation } from './http/operation.ts';
import { impactOperations } from './impact/operations.ts';
import type { Live } from './live/live.ts';
import { liveOperations } from './live/operations.ts';
import { notificationOperations } from './notifications/operations.ts';
import { personalTokenOperations } from './personal-tokens/operations.ts';
import { projectChangeOperations } from './projects/change-operations.ts';
import { environmentOperations, projectOperations } from './projects/operations.ts';
import { refusalOperations } from './refusals/operations.ts';
import { relayOperations } from './relays/operations.ts';
import { rejectedBodyOperations } from './rejected-bodies/operations.ts';
import { accessOperations } from './roles/access-operations.ts';
import { roleOperations } from './roles/operations.ts';
import { searchOperations } from './search/operations.ts';
import type { Stores } from './stores.ts';
import { sessionOperations } from './sessions/operations.ts';
import { strategyOperations } from './strategies/operations.ts';
import { type TokenParts, tokenOperations } from './tokens/operations.ts';
import { unknownFlagOperations } from './unknown-flags/operations.ts';
import { usageOperations } from './usage/operations.ts';
import { seriesOperations } from './usage/series-operations.ts';
import { callerOperations } from './users/caller-operations.ts';
import { userOperations } from './users/operations.ts';
import { verdictLifeOperations } from './verdicts/life-operations.ts';
import { verdictOperations } from './verdicts/operations.ts';

export type OperationParts = TokenParts & {
  readonly live: Pick<Live, 'listen'>;
  readonly passOn: PassOn;
  /** Where messages may be sent. */
  readonly targetRules: TargetRules;
};

/** Every operation of the admin API, for the router and the OpenAPI document. */
export function createOperations(
  stores: Stores,
  { announce, maxTokenDays, live, passOn, targetRules }: OperationParts,
): readonly Operation[] {
  return [
    ...projectOperations(stores.projects),
    ...projectChangeOperations(stores.projects),
    ...environmentOperations(stores.environments),
    ...featureOperations(stores.features),
    ...favoriteOperations(stores.favorites),
    ...archiveOperations(stores.features, passOn),
    ...enableOperations(stores.features, passOn),
    ...featureStrategyOperations(stores.featureStrategies),
    ...changeRequestOperations(stores.changeRequests),
    ...changeRequestEditOperations(stores.changeRequests),
    ...strategyOperations(stores.strategies),
    ...feedbackOperations(stores.feedback),
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
    ...verdictLifeOperations(stores.verdictLives),
    ...cleanUpOperations(stores.cleanUps),
    ...flagDebtOperations(stores.flagDebt),
    ...notificationOperations(stores.notifications, targetRules),
    ...codeReferenceOperations(stores),
    ...liveOperations(live),
    ...accountingOperations(stores.accounting),
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
