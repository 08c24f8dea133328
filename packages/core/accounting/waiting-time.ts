import type { Watermarks } from '#core/kafka';
import type { StoredTotals } from './blocks/totals.ts';

export type WaitingTime = {
  /**
   * Takes a reading of the log and of the ends of the stored blocks. Returns for how long, in milliseconds, the oldest
   * message without a block has waited at least; 0 if none waits. Messages from before the first reading count from then.
   */
  observe(log: ReadonlyMap<number, Watermarks>, ends: StoredTotals['ends'], at: number): number;
};

type Sighting = { readonly high: bigint; readonly at: number };

/** Of each partition. With one reading every two seconds, they reach back for an hour or more. */
const MAX_SIGHTINGS = 2000;

/**
 * Remembers when the log of each partition was how long. A message waits at least since the first reading that saw the log
 * longer than its offset. This asks Kafka for nothing more, and the blocks tell only when counted messages came.
 */
export function createWaitingTime(): WaitingTime {
  const sightings = new Map<number, Sighting[]>();
  return {
    observe(log, ends, at) {
      let longest = 0;
      for (const [partition, { low, high }] of log) {
        const end = ends.get(partition) ?? low;
        const waiting = (sightings.get(partition) ?? []).filter((one) => one.high > end);
        if (high > (waiting.at(-1)?.high ?? end)) waiting.push({ high, at });
        sightings.set(partition, waiting.length > MAX_SIGHTINGS ? everySecond(waiting) : waiting);
        longest = Math.max(longest, at - (waiting[0]?.at ?? at));
      }
      return longest;
    },
  };
}

/** Keeps the first, which tells the time; the others only become less exact. */
function everySecond(sightings: readonly Sighting[]): Sighting[] {
  return sightings.filter((_, index) => index % 2 === 0);
}
