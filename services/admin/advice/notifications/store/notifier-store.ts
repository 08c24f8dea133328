import { setTimeout as sleep } from 'node:timers/promises';
import { findEndingTokens, warnOfEndingTokens } from '#base/auth';
import { SERVICE_CONNECT_TIMEOUT_MS, openPostgres, withAdvisoryLock } from '#base/postgres';
import type { Log, PostgresAccess } from '#base/runtime';
import { observeCleanUps } from '../../clean-ups/store/observe.ts';
import { recordFindings } from '../../verdicts/store/record-findings.ts';
import { listSilentRelays } from '../../verdicts/store/silent-relays.ts';
import { prune, recordAttempt, takeDue } from './attempts.ts';
import { dispatchCauses } from './dispatch.ts';
import { gatherHeld } from './gather.ts';
import { pauseAbandoned } from './pause-abandoned.ts';

const CHECK_MS = 500;
const MAX_CONNECTIONS = 3;

export type NotifierStore = ReturnType<typeof openNotifierStore>;

/** With connections of its own, so that messages never wait for the admin API, nor the admin API for messages. */
export function openNotifierStore(access: PostgresAccess, log: Log) {
  const db = openPostgres({
    ...access,
    log,
    maxConnections: MAX_CONNECTIONS,
    connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS,
  });
  return {
    recordFindings: recordFindings.bind(undefined, db),
    listSilentRelays: listSilentRelays.bind(undefined, db),
    observeCleanUps: observeCleanUps.bind(undefined, db),
    findEndingTokens: findEndingTokens.bind(undefined, db),
    warnOfEndingTokens: warnOfEndingTokens.bind(undefined, db),
    dispatchCauses: dispatchCauses.bind(undefined, db),
    gatherHeld: gatherHeld.bind(undefined, db),
    pauseAbandoned: pauseAbandoned.bind(undefined, db),
    takeDue: takeDue.bind(undefined, db),
    recordAttempt: recordAttempt.bind(undefined, db),
    prune: prune.bind(undefined, db),
    close: () => db.end(),
  };
}

/**
 * Runs `work` if no other process does. Its signal aborts with `signal`, or when the lock is lost: Postgres releases the lock of a
 * process that is killed.
 */
export async function asOnlyNotifier(
  access: PostgresAccess,
  signal: AbortSignal,
  work: (ending: AbortSignal) => Promise<void>,
): Promise<void> {
  await withAdvisoryLock(access, 'notifications', async (lock) => {
    const ending = new AbortController();
    const watch = async (): Promise<void> => {
      while (!signal.aborted && lock.lost() === undefined && !ending.signal.aborted)
        await sleep(CHECK_MS, undefined, { signal }).catch(() => undefined); // it is aborted
      ending.abort();
    };
    await Promise.all([watch(), endAfter(work(ending.signal), ending)]);
  });
}

/** A failure ends the watch too. */
async function endAfter(work: Promise<void>, ending: AbortController): Promise<void> {
  try {
    await work;
  } finally {
    ending.abort();
  }
}
