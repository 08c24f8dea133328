import type { Books } from '#books';
import {
  type AdminPools,
  type ClickHouse,
  createApiTokens,
  createApplicationsReader,
  createChangeRequests,
  createEnvironments,
  createEvents,
  createFavorites,
  createFeatures,
  createFeedback,
  createPersonalTokens,
  createProjects,
  createRefusals,
  createStrategies,
  createUnknownFlags,
  createUsage,
  createUsers,
  createVerdicts,
} from '#stores';

export type Stores = ReturnType<typeof createStores>;

/** Everything that operations read and change. */
export function createStores({ db, lists }: AdminPools, clickhouse: ClickHouse, books: Books) {
  return {
    apiTokens: createApiTokens({ db, lists }),
    applications: createApplicationsReader(lists),
    books,
    changeRequests: createChangeRequests({ db, lists }),
    environments: createEnvironments(db),
    events: createEvents(lists),
    favorites: createFavorites(db),
    features: createFeatures({ db, lists }),
    feedback: createFeedback({ db, lists }),
    personalTokens: createPersonalTokens(db),
    projects: createProjects(db),
    refusals: createRefusals(clickhouse),
    strategies: createStrategies({ db, lists }),
    unknownFlags: createUnknownFlags(lists, clickhouse),
    usage: createUsage(clickhouse),
    users: createUsers({ db, lists }),
    verdicts: createVerdicts(clickhouse),
  };
}
