import type { BlockRange } from '#core/counting';

/**
 * The columns of block_rows in the order of its lines, with the values of rows that leave them out. `block` has one element in the
 * rows that fill it: an object by the names of its members.
 */
const EMPTY_COUNT = {
  kind: '',
  feature_name: '',
  app_name: '',
  environment: '',
  hour: 0,
  minute: 0,
  yes: 0,
  no: 0,
  reports: 0,
  variants: [],
  variant_counts: [],
  unknown: 0,
  block: [],
} as const;

/** The same for mixed_block_rows, whose further columns are such lists too. */
const EMPTY_ROW = {
  ...EMPTY_COUNT,
  reason: [],
  refusal: [],
  metric: [],
  impact: [],
  gauge: [],
  counter: [],
  evidence: [],
} as const;

/** An INSERT that leaves out targets has `stored_targets` before them. */
export const COUNT_COLUMNS: readonly string[] = Object.keys(EMPTY_COUNT);
export const MIXED_COLUMNS: readonly string[] = Object.keys(EMPTY_ROW);

type BlockRow = { readonly kind: string } & Partial<Record<keyof typeof EMPTY_ROW, unknown>>;

/** A row in JSON, without the opening bracket and without the columns after the last one that it fills. */
export function lineOf(row: BlockRow): string {
  const width = MIXED_COLUMNS.findLastIndex((column) => column in row) + 1;
  return JSON.stringify(Object.values({ ...EMPTY_ROW, ...row }).slice(0, width)).slice(1);
}

/** The members of a block and of its counters that say where the block is in the log. */
export function rangeOf({ topic, epoch, partition, from, to }: BlockRange) {
  return { topic, epoch, partition, from_offset: from.toString(), to_offset: to.toString() };
}

/** Wraps at 2^64 like the sums of ClickHouse, so that both sides of the accounting stay comparable. */
export function toUInt64(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString();
}

/** Each of the sums. */
export function toUInt64s(sums: Readonly<Record<string, bigint>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, toUInt64(sum)]));
}

export function toDateTime64(epochMs: number): string {
  return (epochMs / 1000).toFixed(3);
}
