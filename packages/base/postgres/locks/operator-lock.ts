import { FlagmeterError, type PostgresAccess } from '#base/runtime';
import { withAdvisoryLock } from './advisory-lock.ts';

export type OperatorLock = {
  /** Throws if the lock was lost with its connection. Call it before each step that must not run beside another operator's. */
  check(): void;
};

/**
 * Runs `work` while holding an advisory lock of Postgres. All commands that change stored data share it. Throws at once if
 * another one is running.
 */
export async function withOperatorLock<T>(
  access: PostgresAccess,
  work: (lock: OperatorLock) => Promise<T>,
): Promise<T> {
  const done = await withAdvisoryLock(access, 'operator', (lock) =>
    work({
      check() {
        const cause = lock.lost();
        if (cause === undefined) return;
        const message =
          'the connection to Postgres that keeps other operators out was lost; run the command again';
        throw new FlagmeterError('operator-lock', message, { cause });
      },
    }),
  );
  if ('result' in done) return done.result;
  throw new FlagmeterError(
    'operator-lock',
    `another "dead replay", "dead drop", "replay", "sample", "import-unleash", "backup" or "restore" runs: wait until it ends. The lock is held by ${done.holder}`,
  );
}
