import { setTimeout as sleep } from 'node:timers/promises';
import { type EngineName, explainTrouble } from '../engine-trouble.ts';
import type { Log } from '../log.ts';
import type { Troubles } from './troubles.ts';

/** Waits with jitter, growing from `firstMs` to `maxMs`. */
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

type Reaching = {
  readonly engine: EngineName;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly troubles?: Troubles | undefined;
  /** Whether an error stays until an operator acts. It is thrown. By default none is. */
  readonly isFinal?: (error: unknown) => boolean;
};

/** Retries until it succeeds, because a service may start before its engines. Returns undefined if `signal` aborts. */
export async function untilReached<T>(
  work: () => Promise<T>,
  { engine, log, signal, troubles, isFinal = () => false }: Reaching,
): Promise<T | undefined> {
  const backoff = createBackoff({ firstMs: 200, maxMs: 2000 });
  while (!signal.aborted) {
    try {
      const result = await work();
      troubles?.clear(engine);
      return result;
    } catch (err) {
      if (isFinal(err)) throw err;
      troubles?.note(engine, err);
      log.warn({ err, engine, reason: explainTrouble(engine, err) }, 'engine not reached');
      await backoff.wait(signal);
    }
  }
  return undefined;
}
