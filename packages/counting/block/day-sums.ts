import type { CountSums } from '../batch/count-sums.ts';

/** Sums of one day. They are bigints, because the sum of many large counts may exceed 2^53-1. */
export type DaySums = { yes: bigint; no: bigint; variants: bigint };

/** The sums of the rows of each day (days since the epoch). */
export function sumDays(sums: CountSums): Map<number, DaySums> {
  const days = new Map<number, { yes: ExactSum; no: ExactSum; variants: ExactSum }>();
  const ofGroups = Array.from({ length: sums.groupCount }, (_, group) => {
    const day = Math.floor(sums.hourOf(group) / 24);
    const sum = days.get(day) ?? { yes: new ExactSum(), no: new ExactSum(), variants: new ExactSum() };
    days.set(day, sum);
    return sum;
  });
  for (let row = 0; row < sums.rowCount; row += 1) {
    const day = ofGroups[sums.groupOf(row)];
    day?.yes.add(sums.yesOf(row));
    day?.no.add(sums.noOf(row));
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at))
      day?.variants.add(sums.countOfVariant(at));
  }
  return new Map(
    Array.from(days, ([day, { yes, no, variants }]) => [
      day,
      { yes: yes.total(), no: no.total(), variants: variants.total() },
    ]),
  );
}

/** Adds in a number while it is exact, and then moves the sum to a bigint. Bigints alone take three times as long. */
class ExactSum {
  #open = 0;
  #full = 0n;

  add(count: number): void {
    const sum = this.#open + count;
    if (sum > Number.MAX_SAFE_INTEGER) this.#full += BigInt(this.#open);
    this.#open = sum > Number.MAX_SAFE_INTEGER ? count : sum;
  }

  total(): bigint {
    return this.#full + BigInt(this.#open);
  }
}
