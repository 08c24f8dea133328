import { type Postgres, openPostgres } from '#postgres';
import type { Config, Log } from '#runtime';

/**
 * Connections of the admin API, apart from those with which the tokens of relays are looked up. Lists, which may take
 * long, have half of them: more lists at once than that wait for two seconds and are rejected, and keep nothing else waiting.
 */
export type AdminPools = {
  /** For changes, and reads of a row or a few. */
  readonly db: Postgres;
  readonly lists: Postgres;
};

/** Every statement is short by design. What takes longer still is ended, on a cold or overloaded disk. */
const STATEMENT_TIMEOUT_MS = 10_000;

export function openAdminPools(
  { postgres, admin }: Pick<Config, 'postgres' | 'admin'>,
  log: Log,
): AdminPools & { close(): Promise<void> } {
  const forLists = Math.floor(admin.maxConnections / 2);
  const options = { ...postgres, log, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const db = openPostgres({ ...options, maxConnections: admin.maxConnections - forLists });
  const lists = openPostgres({ ...options, maxConnections: forLists });
  return {
    db,
    lists,
    async close() {
      await Promise.all([db.end(), lists.end()]);
    },
  };
}
