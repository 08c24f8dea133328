import type Router from '@koa/router';
import { openBooks } from '#books';
import { type Config, type Log, type Registry, shareReads, startJob } from '#runtime';
import {
  type Postgres,
  type Revocations,
  type VerifiedTokens,
  asReader,
  createDailyWrites,
  foldEventCounts,
  openAdminPools,
  openClickHouse,
} from '#stores';
import { registerAccountingMetrics } from './accounting-metrics.ts';
import { createDocsRouter } from './docs.ts';
import { createOperations } from './operations.ts';
import { createOperationRouter } from './router.ts';
import { startScheduleJob } from './schedule.ts';
import { createStores } from './stores.ts';

export type AdminOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  readonly tokens: VerifiedTokens;
  readonly revocations: Revocations;
  /** Only asked whether Postgres answers: the pools of the API itself may be in use as a whole. */
  readonly db: Postgres;
};

export type Admin = {
  /** The API, and its documentation. */
  readonly routers: readonly Router[];
  /** Undefined while ready, else what it waits for. */
  readiness(): Promise<string | undefined>;
  /** Ends the jobs and what was opened here; call it when no more requests come. */
  stop(): Promise<void>;
};

/** Of either engine: the books may hold months of blocks. */
const BOOKS_DEADLINE_MS = 8000;

/** Anybody may ask for readiness, as often as they like. */
const READINESS_MS = 1000;

const FOLD_PAUSE_MS = 60_000;

/** The admin API: what an admin UI reads and changes, and the job that applies scheduled change requests. */
export function createAdmin({ config, log, registry, tokens, revocations, db }: AdminOptions): Admin {
  if (config.auth.type === 'none')
    log.warn('AUTH_TYPE is none: whoever reaches this port may do everything with the admin API');
  const pools = openAdminPools(config, log);
  const clickhouse = openClickHouse(asReader(config.clickhouse));
  const books = openBooks(config, log, BOOKS_DEADLINE_MS);
  registerAccountingMetrics(registry, books, log);
  const operations = createOperations(
    createStores({ ...config.admin, pools, clickhouse, books }),
    (tokenIds) => announce(revocations, tokenIds, log),
  );
  const jobs = [
    startScheduleJob(pools.db, log),
    startJob({ name: 'number of events', pauseMs: FOLD_PAUSE_MS, log }, () => foldEventCounts(pools.db)),
  ];
  return {
    routers: [
      createOperationRouter(operations, {
        identification: { authType: config.auth.type, hosts: config.auth.hosts, tokens },
        dailyWrites: createDailyWrites(pools.db, config.admin.dailyWrites),
        registry,
      }),
      createDocsRouter(operations),
    ],
    readiness: shareReads(READINESS_MS, async () => {
      try {
        await db.query('select 1');
        return undefined;
      } catch {
        return 'Postgres cannot be reached.';
      }
    }),
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await Promise.all([pools.close(), clickhouse.close(), books.close()]);
    },
  };
}

/** The change is made already: without Redis, processes that remember the token learn of it within a minute. */
async function announce(revocations: Revocations, tokenIds: readonly string[], log: Log): Promise<void> {
  try {
    await Promise.all(tokenIds.map((tokenId) => revocations.announce(tokenId)));
  } catch (err) {
    log.warn({ err }, 'revocation not announced');
  }
}
