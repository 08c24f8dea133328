import { type CountSums, NO_MINUTE } from '../sums/count-sums.ts';

const SUMS = ['yes', 'no', 'unknown', 'reports', 'variants'] as const;

/** Sums of one minute, hour or day. They are bigints, because the sum of many large counts may exceed 2^53-1. */
export type TimeSums = OfEach<bigint>;

export type SumsByTime = {
  /** By the hours and days of the evaluations, since the epoch. */
  readonly hours: ReadonlyMap<number, TimeSums>;
  readonly days: ReadonlyMap<number, TimeSums>;
  /** By the minutes in which the evaluations arrived, since the epoch, and by the days of these minutes. */
  readonly minutes: ReadonlyMap<number, TimeSums>;
  readonly minuteDays: ReadonlyMap<number, TimeSums>;
};

/** Adds up the rows of a block. */
export function sumTimes(sums: CountSums): SumsByTime {
  const [hours, days] = [new Map<number, TimeSums>(), new Map<number, TimeSums>()];
  const [minutes, minuteDays] = [new Map<number, TimeSums>(), new Map<number, TimeSums>()];
  for (const { hour, minute, totals } of sumGroups(sums)) {
    addTo(hours, hour, totals);
    addTo(days, Math.floor(hour / 24), totals);
    if (minute === NO_MINUTE) continue;
    addTo(minutes, minute, totals);
    addTo(minuteDays, Math.floor(minute / MINUTES_PER_DAY), totals);
  }
  return { hours, days, minutes, minuteDays };
}

const MINUTES_PER_DAY = 24 * 60;

function addTo(times: Map<number, TimeSums>, time: number, added: TimeSums): void {
  const sum = times.get(time);
  times.set(time, sum === undefined ? added : ofEach((name) => sum[name] + added[name]));
}

type GroupSums = { readonly hour: number; readonly minute: number; readonly totals: TimeSums };

/** The sums of each hour and minute that occur together. */
function sumGroups(sums: CountSums): GroupSums[] {
  const times = new Map<string, { hour: number; minute: number; open: OfEach<ExactSum> }>();
  const ofGroups = Array.from({ length: sums.groupCount }, (_, group) => {
    const [hour, minute] = [sums.hourOf(group), sums.minuteOf(group)];
    const key = `${hour} ${minute}`;
    const time = times.get(key) ?? { hour, minute, open: ofEach(() => new ExactSum()) };
    times.set(key, time);
    return time.open;
  });
  for (let row = 0; row < sums.rowCount; row += 1) {
    const ofTime = ofGroups[sums.groupOf(row)];
    ofTime?.yes.add(sums.yesOf(row));
    ofTime?.no.add(sums.noOf(row));
    ofTime?.reports.add(sums.reportsOf(row));
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at))
      ofTime?.variants.add(sums.countOfVariant(at));
  }
  for (const [row, count] of sums.unknown) ofGroups[sums.groupOf(row)]?.unknown.add(count);
  return Array.from(times.values(), ({ open, ...time }) => ({
    ...time,
    totals: ofEach((name) => open[name].total()),
  }));
}

type OfEach<Value> = Readonly<Record<(typeof SUMS)[number], Value>>;

function ofEach<Value>(valueOf: (name: (typeof SUMS)[number]) => Value): OfEach<Value> {
  return Object.fromEntries(SUMS.map((name) => [name, valueOf(name)])) as OfEach<Value>; // of each
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
