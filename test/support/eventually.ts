import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until `isDone` holds; rejects with the last value after `timeoutMs`. By default a busy machine has time, but
 * less than the minute after which services look by themselves at what they should have been told of.
 */
export async function eventually<T>(
  look: () => Promise<T>,
  isDone: (value: T) => boolean,
  timeoutMs = 50_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await look();
    if (isDone(value)) return value;
    if (Date.now() > deadline) {
      const shown = JSON.stringify(value, (_key, item: unknown) =>
        typeof item === 'bigint' ? item.toString() : item,
      );
      throw new Error(`not within ${timeoutMs} ms; at last: ${shown.slice(0, 2000)}`);
    }
    await sleep(50);
  }
}
