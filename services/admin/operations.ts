import type { Operation } from './operation.ts';
import { accountingOperations } from './operations/accounting.ts';
import { archiveOperations } from './operations/archive.ts';
import { changeRequestEditOperations } from './operations/change-request-edits.ts';
import { changeRequestOperations } from './operations/change-requests.ts';
import { eventOperations } from './operations/events.ts';
import { favoriteOperations } from './operations/favorites.ts';
import { featureOperations } from './operations/features.ts';
import { feedbackOperations } from './operations/feedback.ts';
import { personalTokenOperations } from './operations/personal-tokens.ts';
import { environmentOperations, projectOperations } from './operations/projects.ts';
import { strategyOperations } from './operations/strategies.ts';
import { type Announce, tokenOperations } from './operations/tokens.ts';
import { usageOperations } from './operations/usage.ts';
import { userOperations } from './operations/users.ts';
import { verdictOperations } from './operations/verdicts.ts';
import type { Stores } from './stores.ts';

/** Every operation of the admin API: the router and the OpenAPI document are both made of this. */
export function createOperations(stores: Stores, announce: Announce): readonly Operation[] {
  return [
    ...projectOperations(stores.projects),
    ...environmentOperations(stores.environments),
    ...featureOperations(stores.features),
    ...favoriteOperations(stores.favorites),
    ...archiveOperations(stores.features),
    ...changeRequestOperations(stores.changeRequests),
    ...changeRequestEditOperations(stores.changeRequests),
    ...strategyOperations(stores.strategies),
    ...feedbackOperations(stores.feedback),
    ...eventOperations(stores.events),
    ...usageOperations(stores),
    ...verdictOperations(stores),
    ...accountingOperations(stores),
    ...tokenOperations(stores.apiTokens, announce),
    ...userOperations(stores.users, announce),
    ...personalTokenOperations(stores.personalTokens, announce),
  ];
}
