import type { CountSums } from '../sums/count-sums.ts';

/** Sums of one hour or day. They are bigints, because the sum of many large counts may exceed 2^53-1. */
export type TimeSums = { yes: bigint; no: bigint; unknown: bigint; reports: bigint; variants: bigint };

/** The sums of the rows of each hour and of each day (hours and days since the epoch). */
export function sumTimes(sums: CountSums): { hours: Map<number, TimeSums>; days: Map<number, TimeSums> } {
  const hours = sumHours(sums);
  const days = new Map<number, TimeSums>();
  for (const [hour, added] of hours) {
    const day = Math.floor(hour / 24);
    const sum = days.get(day) ?? { yes: 0n, no: 0n, unknown: 0n, reports: 0n, variants: 0n };
    days.set(day, {
      yes: sum.yes + added.yes,
      no: sum.no + added.no,
      unknown: sum.unknown + added.unknown,
      reports: sum.reports + added.reports,
      variants: sum.variants + added.variants,
    });
  }
  return { hours, days };
}

function sumHours(sums: CountSums): Map<number, TimeSums> {
  const hours = new Map<number, ReturnType<typeof createSums>>();
  const ofGroups = Array.from({ length: sums.groupCount }, (_, group) => {
    const hour = sums.hourOf(group);
    const sum = hours.get(hour) ?? createSums();
    hours.set(hour, sum);
    return sum;
  });
  for (let row = 0; row < sums.rowCount; row += 1) {
    const hour = ofGroups[sums.groupOf(row)];
    hour?.yes.add(sums.yesOf(row));
    hour?.no.add(sums.noOf(row));
    hour?.reports.add(sums.reportsOf(row));
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at))
      hour?.variants.add(sums.countOfVariant(at));
  }
  for (const [row, count] of sums.unknown) ofGroups[sums.groupOf(row)]?.unknown.add(count);
  return new Map(Array.from(hours, ([hour, ofHour]) => [hour, totalsOf(ofHour)]));
}

function createSums() {
  return {
    yes: new ExactSum(),
    no: new ExactSum(),
    unknown: new ExactSum(),
    reports: new ExactSum(),
    variants: new ExactSum(),
  };
}

function totalsOf({ yes, no, unknown, reports, variants }: ReturnType<typeof createSums>): TimeSums {
  return {
    yes: yes.total(),
    no: no.total(),
    unknown: unknown.total(),
    reports: reports.total(),
    variants: variants.total(),
  };
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
