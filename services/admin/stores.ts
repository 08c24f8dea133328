import { type AccountingReader, AccountingUnavailableError } from '#core/accounting';
import { type Sealer, createSealer } from './advice/webhooks/index.ts';
import { type ClickHouse, UsageUnavailableError, asReader, openClickHouse } from '#core/clickhouse';
import { isUnavailable } from '#base/postgres';
import type { Config, Log } from '#base/runtime';
import { createAuditReader } from './record/audit/store.ts';
import { createLogCheck } from './record/audit/store/check-log.ts';
import { logEntries } from './record/audit/store/log-entries.ts';
import { pruneAudit } from './record/audit/store/prune.ts';
import { createApplicationsReader } from './usage/applications/store.ts';
import { createRelaysReader } from './usage/relays/store.ts';
import { createChangeRequests } from './flags/change-requests/store.ts';
import {
  type Attempt,
  type DueSelection,
  applyNextScheduled,
} from './flags/change-requests/store/schedule.ts';
import { createEvents } from './record/events/store.ts';
import { foldEventCounts } from './record/events/store/counts.ts';
import { type HarmfulFeatures, readHarmful } from './flags/features/harmful/read-harmful.ts';
import { createCoverageReader } from './usage/coverage/operations.ts';
import { createFlagDebt } from './advice/flag-debt/store.ts';
import { createProjectLookups } from './flags/projects/store/project-lookups.ts';
import { createImpact } from './usage/impact/store.ts';
import { createNotifications } from './advice/notifications/store.ts';
import { createPersonalTokens } from './people/personal-tokens/store.ts';
import { type AdminPools, openAdminPools } from './pools.ts';
import { createRefusals } from './usage/refusals/store.ts';
import { createRejectedBodies, pruneRejectedBodies } from './usage/rejected-bodies/store.ts';
import { createRoles } from './people/roles/store.ts';
import { createSearch } from './doors/search/store.ts';
import { createSessionsStore } from './people/sessions/store.ts';
import { createApiTokens } from './people/tokens/store.ts';
import { createUnknownFlags } from './advice/unknown-flags/store.ts';
import { createUsage } from './usage/totals/store.ts';
import { type UsersOptions, createUsers } from './people/users/store.ts';
import { createRightsOfAnybody } from './people/users/store/anybody.ts';
import { createDailyWrites } from './people/users/store/daily-writes.ts';
import { createVerdicts } from './advice/verdicts/store.ts';

export type Stores = ReturnType<typeof createStores>;

export type StoresOptions = UsersOptions & {
  readonly pools: AdminPools;
  readonly clickhouse: ClickHouse;
  readonly accounting: AccountingReader;
  readonly retention: Config['retention'];
  /** After so long without a use, a session ends. */
  readonly idleMs: number;
  /** Undefined without SECRETS_KEY. */
  readonly sealer: Sealer | undefined;
};

/** All stores that operations use. */
export function createStores(options: StoresOptions) {
  const { pools, clickhouse, accounting, retention, idleMs, sealer, doTokensEndWithCreator } = options;
  const { db, lists } = pools;
  return {
    pools,
    apiTokens: createApiTokens(pools),
    applications: createApplicationsReader(lists),
    relays: createRelaysReader(lists),
    accounting,
    changeRequests: createChangeRequests(pools),
    events: createEvents(lists),
    audit: createAuditReader(lists),
    readCoverage: createCoverageReader(clickhouse),
    flagDebt: createFlagDebt(clickhouse),
    impact: createImpact(clickhouse),
    notifications: createNotifications(pools, sealer),
    personalTokens: createPersonalTokens(db),
    lookups: createProjectLookups(db),
    refusals: createRefusals(clickhouse),
    rejectedBodies: createRejectedBodies(lists),
    roles: createRoles(db),
    search: createSearch(lists, clickhouse),
    sessions: createSessionsStore(db, idleMs),
    unknownFlags: createUnknownFlags(lists, clickhouse),
    usage: createUsage(clickhouse, retention),
    users: createUsers(pools, { doTokensEndWithCreator }),
    verdicts: createVerdicts(clickhouse),
  };
}

/** The stores, with the resources and jobs that the service itself needs. */
export type OpenStores = {
  readonly stores: Stores;
  readonly dailyWrites: ReturnType<typeof createDailyWrites>;
  /** What acts by itself calls it first. */
  settleAnybody(): Promise<void>;
  applyNextScheduled(selection: DueSelection): Promise<Attempt | undefined>;
  foldEventCounts(): Promise<void>;
  logEntries(): Promise<void>;
  pruneAudit(): Promise<void>;
  pruneRejectedBodies(): Promise<void>;
  readHarmful(): Promise<HarmfulFeatures>;
  close(): Promise<void>;
};

export function openStores(config: Config, accounting: AccountingReader, log: Log): OpenStores {
  const pools = openAdminPools(config, log);
  const clickhouse = openClickHouse(asReader(config.clickhouse));
  const { keys } = config.notifications;
  const checkLog = createLogCheck(pools.db, log);
  const settleAnybody = createRightsOfAnybody(pools.db, config.auth.type);
  return {
    stores: createStores({
      ...config.admin,
      retention: config.retention,
      idleMs: config.auth.sessions.idleMs,
      sealer: keys && createSealer(keys),
      pools,
      clickhouse,
      accounting,
    }),
    dailyWrites: createDailyWrites(pools.db, config.admin.dailyWrites),
    settleAnybody,
    async applyNextScheduled(selection) {
      await settleAnybody();
      return applyNextScheduled(pools.db, selection);
    },
    foldEventCounts: () => foldEventCounts(pools.db),
    async logEntries() {
      await logEntries(pools.db, log);
      await checkLog();
    },
    pruneAudit: () => pruneAudit(pools.db),
    pruneRejectedBodies: () => pruneRejectedBodies(pools.db),
    async readHarmful() {
      await settleAnybody();
      return readHarmful(pools.db, clickhouse);
    },
    async close() {
      await Promise.all([pools.close(), clickhouse.close()]);
    },
  };
}

/** Whether the error means that an engine is unreachable or too slow, so that a retry may succeed. */
export function isEngineUnavailable(error: unknown): boolean {
  return (
    isUnavailable(error) ||
    error instanceof UsageUnavailableError ||
    error instanceof AccountingUnavailableError
  );
}
