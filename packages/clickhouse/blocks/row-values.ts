/** The columns of a row of block_rows in JSON, without the opening bracket. */
export function lineOf(columns: readonly unknown[]): string {
  return JSON.stringify(columns).slice(1);
}

/** Wraps at 2^64 like the sums of ClickHouse, so that both sides of the accounting stay comparable. */
export function toUInt64(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString();
}
