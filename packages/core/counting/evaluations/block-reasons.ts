import { ReasonSums } from './reason-sums.ts';

/** The reasons of the evaluations of one block. Names and groups are those of its sums. */
export type BlockReasons = {
  readonly sums: ReasonSums;
  /** Evaluations by hours and by days (since the epoch). */
  readonly hours: ReadonlyMap<number, bigint>;
  readonly days: ReadonlyMap<number, bigint>;
};

/** `hourOf`: the hour of a group. */
export function sumReasons(reasons: ReasonSums, hourOf: (group: number) => number): BlockReasons {
  const hours = new Map<number, bigint>();
  const days = new Map<number, bigint>();
  for (const { group, count } of reasons.all()) {
    const hour = hourOf(group);
    addTo(hours, hour, BigInt(count));
    addTo(days, Math.floor(hour / 24), BigInt(count));
  }
  return { sums: reasons, hours, days };
}

function addTo(times: Map<number, bigint>, time: number, count: bigint): void {
  times.set(time, (times.get(time) ?? 0n) + count);
}

/** The reasons of a block without any. */
export const NO_BLOCK_REASONS: BlockReasons = { sums: new ReasonSums(), hours: new Map(), days: new Map() };
