import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { FlagmeterError, type Log, type PostgresAccess, explainTrouble } from '#base/runtime';
import {
  CONNECTION,
  type Connection,
  FORGET_ACTIVITY,
  describeConnection,
  describeHolder,
  inLockTransaction,
  tryLock,
} from './advisory-lock.ts';

/** The name of the connection that applies migrations. */
export const MIGRATION_CONNECTION = 'flagmeter migrate';

type Options = {
  readonly access: PostgresAccess;
  readonly log: Log;
  /** How long to wait for others. */
  readonly giveUpMs?: number;
};

/** Migrations of large tables take minutes. */
const GIVE_UP_MS = 15 * 60_000;
const REPORT_AFTER_MS = 2000;
const REPORT_EVERY_MS = 30_000;
const PAUSE_MS = 200;
const WATCH_PAUSE_MS = 1000;

/**
 * Runs `work` while holding the lock of migrations, so that of two processes that migrate one waits for the other. Logs for which
 * connection it waits, and whose locks a migration waits for. Gives up after 15 minutes of either. The lock ends with its connection;
 * then this throws after the work.
 */
export function withMigrationLock<T>(
  { access, log, giveUpMs = GIVE_UP_MS }: Options,
  work: () => Promise<T>,
): Promise<T> {
  return inLockTransaction(access, 'migrations', async (client) => {
    await waitForLock(client, { log, giveUpMs });
    const ended = new AbortController();
    const watch = watchMigration(client, { log, giveUpMs, signal: ended.signal });
    try {
      const result = await work();
      ended.abort();
      await watch;
      await client.query('select').catch(throwLost);
      return result;
    } finally {
      ended.abort();
      await watch;
    }
  });
}

function throwLost(cause: unknown): never {
  const message =
    'the connection to Postgres that keeps other migrations out was lost; run the command again';
  throw new FlagmeterError('migration-lock', message, { cause });
}

type Waiting = { readonly log: Log; readonly giveUpMs: number };

async function waitForLock(client: pg.Client, { log, giveUpMs }: Waiting): Promise<void> {
  const waits = createWaits(giveUpMs);
  while (!(await tryLock(client, 'migrations'))) {
    const wait = waits.next();
    if (wait !== 'quiet') {
      const holder = await describeHolder(client, 'migrations');
      if (wait === 'over')
        throw new FlagmeterError(
          'migration-lock',
          `another process has migrated for ${giveUpMs / 60_000} minutes: ${holder}. If it no longer runs, end its connection with pg_terminate_backend, and run the command again`,
        );
      log.info({ holder }, 'waiting for another process that migrates');
    }
    await sleep(PAUSE_MS);
  }
}

type Watching = Waiting & { readonly signal: AbortSignal };

/** Looks for what a migration waits for, until it ends. It never rejects: if the connection is lost, the work fails anyway. */
async function watchMigration(client: pg.Client, { log, giveUpMs, signal }: Watching): Promise<void> {
  let waits = createWaits(giveUpMs);
  try {
    while (!signal.aborted) {
      const blocked = await readBlocked(client);
      if (blocked === undefined) waits = createWaits(giveUpMs);
      else {
        const wait = waits.next();
        const holders = blocked.holders.map(describeConnection);
        if (wait === 'report') log.warn({ holders }, 'a migration waits for a lock of Postgres');
        if (wait === 'over') {
          log.error(
            { holders },
            'a migration is cancelled, because it waited too long for a lock of Postgres',
          );
          await client.query('select pg_cancel_backend($1)', [blocked.pid]);
        }
      }
      await sleep(WATCH_PAUSE_MS, undefined, { signal }).catch(() => undefined); // the work has ended
    }
  } catch (error) {
    log.warn({ reason: explainTrouble('Postgres', error) }, 'locks of migrations are not watched any more');
  }
}

type Blocked = { readonly pid: number; readonly holders: readonly Connection[] };

/** The migration that waits for others, if one does. */
async function readBlocked(client: pg.Client): Promise<Blocked | undefined> {
  await client.query(FORGET_ACTIVITY);
  const { rows } = await client.query<Connection & { blocked: number }>(
    `with blocked as materialized (
       select pid, pg_blocking_pids(pid) as holders
       from pg_stat_activity
       where application_name = $1
         and datname = current_database()
         and wait_event_type = 'Lock'
     )
     select blocked.pid as blocked, ${CONNECTION}
     from blocked
     join pg_stat_activity on pg_stat_activity.pid = any (holders)`,
    [MIGRATION_CONNECTION],
  );
  return rows[0] && { pid: rows[0].blocked, holders: rows };
}

type Wait = 'quiet' | 'report' | 'over';

/** Says at each look whether a wait is reported: after 2 s, then every 30 s, until it is over. */
function createWaits(giveUpMs: number): { readonly next: () => Wait } {
  const since = performance.now();
  let reportAt = since + Math.min(REPORT_AFTER_MS, giveUpMs / 2);
  return {
    next() {
      const now = performance.now();
      if (now - since >= giveUpMs) return 'over';
      if (now < reportAt) return 'quiet';
      reportAt = now + REPORT_EVERY_MS;
      return 'report';
    },
  };
}
