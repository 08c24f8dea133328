import { SERVICE_CONNECT_TIMEOUT_MS, openPostgres, withAdvisoryLock } from '#base/postgres';
import { type Job, type Log, type PostgresAccess, type Registry, startJob } from '#base/runtime';
import { UnleashError, createCatalogueReader, createUnleash } from '#unleash/client';
import { type CatalogueMetrics, createCatalogueMetrics } from './metrics.ts';
import { readState } from './store/state.ts';
import { syncOnce } from './sync.ts';
import type { SyncParts } from './sync-parts.ts';

export type CatalogueOptions = {
  readonly unleash: { readonly url: string; readonly adminToken: string };
  readonly postgres: PostgresAccess;
  readonly registry: Registry;
  readonly log: Log;
  readonly pauseMs?: number;
};

const PAUSE_MS = 60_000;
/** The rest of Unleash's rate limit is for its own users. */
const REQUESTS_AT_ONCE = 8;
const MAX_CONNECTIONS = 2;

/** Copies the catalogue of Unleash each minute. If several processes run, one of them works at a time. */
export function startCatalogue(options: CatalogueOptions): Job {
  const { unleash, postgres, registry, log, pauseMs = PAUSE_MS } = options;
  const metrics = createCatalogueMetrics(registry);
  const db = openPostgres({
    ...postgres,
    maxConnections: MAX_CONNECTIONS,
    log,
    connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS,
  });
  const client = createUnleash({ url: unleash.url, atOnce: REQUESTS_AT_ONCE });
  let waitUntil = 0;
  const job = startJob({ name: 'catalogue of Unleash', pauseMs, log }, async (signal) => {
    if (performance.now() < waitUntil) return;
    const reader = createCatalogueReader(client, unleash.adminToken, signal);
    try {
      await runRound({ reader, db, signal }, { postgres, metrics });
    } catch (error) {
      if (signal.aborted) return;
      metrics.rounds.inc({ outcome: 'failed' });
      if (error instanceof UnleashError) waitUntil = performance.now() + (error.retryAfterMs ?? 0);
      throw error;
    }
  });
  return {
    async stop() {
      await job.stop();
      await db.end();
    },
  };
}

type RoundOptions = { readonly postgres: PostgresAccess; readonly metrics: CatalogueMetrics };

async function runRound(parts: SyncParts, { postgres, metrics }: RoundOptions): Promise<void> {
  // If the lock is lost with its connection, two processes may work at once. Both only write what Unleash has.
  const done = await withAdvisoryLock(postgres, 'catalogue', () => syncOnce(parts));
  metrics.rounds.inc({ outcome: 'result' in done ? done.result : 'elsewhere' });
  const { succeededAt, outdated } = await readState(parts.db);
  metrics.outdated.set(outdated);
  if (succeededAt !== undefined) metrics.setSuccess(succeededAt);
}
