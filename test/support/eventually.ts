import { setTimeout as sleep } from 'node:timers/promises';

const LEAST_REST_MS = 20;
const MOST_REST_MS = 300;

/**
 * Looks again and again until `isDone` holds; rejects with the last value after `timeoutMs`. By default a busy machine has time, but
 * less than the minute after which services look by themselves at what they should have been told of. The longer it has
 * waited, the longer it rests: whoever waits for an engine must not keep it busy.
 */
export async function eventually<T>(
  look: () => Promise<T>,
  isDone: (value: T) => boolean,
  timeoutMs = 50_000,
): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    const value = await look();
    if (isDone(value)) return value;
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > timeoutMs) {
      const shown = JSON.stringify(value, (_key, item: unknown) =>
        typeof item === 'bigint' ? item.toString() : item,
      );
      throw new Error(`not within ${timeoutMs} ms; at last: ${shown.slice(0, 2000)}`);
    }
    await sleep(Math.min(Math.max(waitedMs / 10, LEAST_REST_MS), MOST_REST_MS));
  }
}
