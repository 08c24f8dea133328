import type { Postgres } from '#base/postgres';
import { type Log, inBackground } from '#base/runtime';
import { type NewEntry, recordEntry } from './record-entry.ts';

/** Entries that wait for Postgres. Each takes a kilobyte at most. */
const MAX_WAITING = 500;

/**
 * Records refusals one after the other, so that they use one connection, and no request waits for them. Those that Postgres does
 * not take are only in the log.
 */
export function createRecorder(db: Postgres, log: Log) {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  const recordAfter = async (earlier: Promise<void>, entry: NewEntry): Promise<void> => {
    await earlier;
    try {
      await recordEntry(db, entry);
    } catch (err) {
      log.warn({ ...entry, err }, 'audit entry not stored');
    } finally {
      waiting -= 1;
    }
  };
  return {
    /** Neither waits nor throws. */
    record(entry: NewEntry): void {
      if (waiting >= MAX_WAITING) {
        log.warn(entry, 'audit entry not stored');
        return;
      }
      waiting += 1;
      last = recordAfter(last, entry);
      inBackground(last);
    },
    /** Resolves when no entry waits any more. */
    drained: () => last,
  };
}
