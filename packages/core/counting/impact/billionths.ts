const BILLION = 1_000_000_000;

/** Larger values are refused: their sums stay far below 2^127 billionths, the range of the columns. */
export const MAX_VALUE = 1e15;

/**
 * A value in whole billionths, rounded. Sums of floating point numbers depend on their order, so they could prove nothing. Whole
 * numbers do not.
 */
export function billionthsOf(value: number): bigint {
  const whole = Math.trunc(value);
  return BigInt(whole) * BigInt(BILLION) + BigInt(Math.round((value - whole) * BILLION));
}

/** The nearest floating point number. */
export function numberOfBillionths(total: bigint): number {
  const whole = total / BigInt(BILLION);
  return Number(whole) + Number(total % BigInt(BILLION)) / BILLION;
}
