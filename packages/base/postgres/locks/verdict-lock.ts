import { setTimeout as sleep } from 'node:timers/promises';
import { FlagmeterError, type PostgresAccess } from '#base/runtime';
import { ADVISORY_LOCKS, describeHolder, inLockTransaction, tryLock } from './advisory-lock.ts';

/** Reading all verdicts takes seconds at most. */
const GIVE_UP_MS = 60_000;
const PAUSE_MS = 200;

/**
 * Runs `work`, which changes in steps what verdicts are about: between two of them, wrong ones seem to hold. Until it ends, nobody follows
 * verdicts.
 */
export function suspendVerdicts<T>(access: PostgresAccess, work: () => Promise<T>): Promise<T> {
  return inLockTransaction(access, 'verdicts', async (client) => {
    const startedAt = performance.now();
    while (!(await tryLock(client, 'verdicts'))) {
      if (performance.now() - startedAt > GIVE_UP_MS) {
        const holder = await describeHolder(client, 'verdicts');
        throw new FlagmeterError(
          'verdict-lock',
          `nothing was changed: verdicts are being read for a minute, by ${holder}`,
        );
      }
      await sleep(PAUSE_MS);
    }
    return work();
  });
}

/** Runs `follow`, which reads verdicts and records them, unless somebody suspends that. Several may do this at once. */
export function followVerdicts(access: PostgresAccess, follow: () => Promise<void>): Promise<void> {
  return inLockTransaction(access, 'verdicts', async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_xact_lock_shared($1) as locked',
      [ADVISORY_LOCKS.verdicts],
    );
    if (rows[0]?.locked === true) await follow();
  });
}
