import { type Postgres, openPostgres } from '#base/postgres';
import type { Config, Log } from '#base/runtime';

/** How many connections there are for changes and single reads, and for lists. */
export type AdminConnections = { readonly forChanges: number; readonly forLists: number };

export function connectionsOf({ maxConnections }: Config['admin']): AdminConnections {
  const forLists = Math.floor(maxConnections / 2);
  return { forChanges: maxConnections - forLists, forLists };
}

/**
 * The connections of the admin API. Token look-ups for relays use other connections. Half of these are for lists, which may
 * take long. If all of that half are in use, a further list waits five seconds and is then rejected; it delays no other request.
 */
export type AdminPools = {
  /** For changes, and for reads of a few rows. */
  readonly db: Postgres;
  readonly lists: Postgres;
};

/** Every statement is short by design. The timeout ends those that a cold or overloaded disk slows down. */
export const STATEMENT_TIMEOUT_MS = 10_000;
/** Longer than for relays, which send again: people wait, and a machine that has no core free takes more than two seconds. */
const CONNECT_TIMEOUT_MS = 5000;

export function openAdminPools(
  { postgres, admin }: Pick<Config, 'postgres' | 'admin'>,
  log: Log,
): AdminPools & { close(): Promise<void> } {
  const { forChanges, forLists } = connectionsOf(admin);
  const options = {
    ...postgres,
    log,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  };
  const db = openPostgres({ ...options, maxConnections: forChanges });
  const lists = openPostgres({ ...options, maxConnections: forLists });
  return {
    db,
    lists,
    async close() {
      await Promise.all([db.end(), lists.end()]);
    },
  };
}
