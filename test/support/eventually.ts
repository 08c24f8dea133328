import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

const MIN_REST_MS = 30;
const MAX_REST_MS = 400;

/**
 * Polls until `isDone` holds; rejects with the last value after `timeoutMs`. The default suits a busy machine but is
 * below one minute, after which services refresh data without being notified. Pauses grow with the waiting time,
 * because polling must not keep an engine busy.
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
      throw new Error(`not within ${timeoutMs} ms; last value: ${inspect(value).slice(0, 2000)}`);
    }
    await sleep(Math.min(Math.max(waitedMs / 6, MIN_REST_MS), MAX_REST_MS));
  }
}
