import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';

/** Growing waits with jitter, from `firstMs` to `maxMs`. */
export function createBackoff({ firstMs, maxMs }: { firstMs: number; maxMs: number }): {
  wait(signal?: AbortSignal): Promise<void>;
  reset(): void;
} {
  let nextMs = firstMs;
  return {
    async wait(signal) {
      const waitMs = nextMs * (0.75 + Math.random() / 2);
      nextMs = Math.min(nextMs * 2, maxMs);
      await sleep(waitMs, undefined, signal ? { signal } : {}).catch(ignoreAbort);
    },
    reset() {
      nextMs = firstMs;
    },
  };
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
}

/** The promise's outcome, or a rejection with `message` after `timeoutMs`; the work itself is not stopped. */
export async function withDeadline<T>(work: Promise<T>, timeoutMs: number, message: string): Promise<T> {
  const timer = new AbortController();
  const expiry = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(message);
  });
  try {
    return await Promise.race([work, expiry]);
  } finally {
    timer.abort();
    expiry.catch(ignoreAbort);
  }
}

/**
 * Repeats until it succeeds: a service must survive being started before its engines. `engine` is for the log.
 * `shouldStop` is asked before each try; then it gives undefined.
 */
export async function untilReached<T>(
  work: () => Promise<T>,
  { engine, log, shouldStop = () => false }: { engine: string; log: Log; shouldStop?: () => boolean },
): Promise<T | undefined> {
  const backoff = createBackoff({ firstMs: 200, maxMs: 2000 });
  while (!shouldStop()) {
    try {
      return await work();
    } catch (err) {
      log.warn({ err, engine }, 'engine not reached');
      await backoff.wait();
    }
  }
  return undefined;
}
