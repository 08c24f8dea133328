import type { BlockRange } from '#counting';

/**
 * The columns of block_rows in the order of its lines, with the values of rows that leave them out. The lists from `reason` on have
 * one element in the rows that fill them: an object by the names of its members.
 */
const EMPTY_ROW = {
  ...{ kind: '', feature_name: '', app_name: '', environment: '', hour: 0, yes: 0, no: 0, reports: 0 },
  ...{ variants: [], variant_counts: [] },
  ...{ reason: [], refusal: [], metric: [], impact: [], gauge: [], counter: [], block: [] },
} as const;

/** An INSERT that leaves out targets has `stored_shares` before them. */
export const BLOCK_ROW_COLUMNS: readonly string[] = Object.keys(EMPTY_ROW);

type BlockRow = { readonly kind: string } & Partial<Record<keyof typeof EMPTY_ROW, unknown>>;

/** A row of block_rows in JSON, without the opening bracket. */
export function lineOf(row: BlockRow): string {
  return JSON.stringify(Object.values({ ...EMPTY_ROW, ...row })).slice(1);
}

/** The members of a block and of its counters that say where the block is in the log. */
export function rangeOf({ topic, epoch, partition, from, to }: BlockRange) {
  return { topic, epoch, partition, from_offset: from.toString(), to_offset: to.toString() };
}

/** Wraps at 2^64 like the sums of ClickHouse, so that both sides of the accounting stay comparable. */
export function toUInt64(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString();
}

export function toDateTime64(epochMs: number): string {
  return (epochMs / 1000).toFixed(3);
}
