import type { Books } from '#books';
import {
  type ClickHouse,
  type Postgres,
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
export function createStores(db: Postgres, clickhouse: ClickHouse, books: Books) {
  return {
    apiTokens: createApiTokens(db),
    applications: createApplicationsReader(db),
    books,
    changeRequests: createChangeRequests(db),
    environments: createEnvironments(db),
    events: createEvents(db),
    favorites: createFavorites(db),
    features: createFeatures(db),
    feedback: createFeedback(db),
    personalTokens: createPersonalTokens(db),
    projects: createProjects(db),
    refusals: createRefusals(clickhouse),
    strategies: createStrategies(db),
    unknownFlags: createUnknownFlags(db, clickhouse),
    usage: createUsage(clickhouse),
    users: createUsers(db),
    verdicts: createVerdicts(clickhouse),
  };
}
