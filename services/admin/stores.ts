import type { Books } from '#books';
import {
  type AdminPools,
  type ClickHouse,
  type UsersOptions,
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

export type StoresOptions = UsersOptions & {
  readonly pools: AdminPools;
  readonly clickhouse: ClickHouse;
  readonly books: Books;
};

/** Everything that operations read and change. */
export function createStores({ pools, clickhouse, books, doTokensEndWithCreator }: StoresOptions) {
  const { db, lists } = pools;
  return {
    apiTokens: createApiTokens(pools),
    applications: createApplicationsReader(lists),
    books,
    changeRequests: createChangeRequests(pools),
    environments: createEnvironments(db),
    events: createEvents(lists),
    favorites: createFavorites(db),
    features: createFeatures(pools),
    feedback: createFeedback(pools),
    personalTokens: createPersonalTokens(db),
    projects: createProjects(db),
    refusals: createRefusals(clickhouse),
    strategies: createStrategies(pools),
    unknownFlags: createUnknownFlags(lists, clickhouse),
    usage: createUsage(clickhouse),
    users: createUsers(pools, { doTokensEndWithCreator }),
    verdicts: createVerdicts(clickhouse),
  };
}
