import { type BucketCount, sumOf } from './chart/counts.ts';
import type { Zone } from './format.ts';
import type { Interval } from './time/range.ts';

/** What the API says of each bucket. */
export type UsageAnswer = {
  readonly interval: Interval;
  readonly timezone: string;
  readonly starts: readonly string[];
  readonly to: string;
  readonly knownFrom: string | null;
  readonly completeUntil: string;
  readonly series: readonly {
    readonly group: string | null;
    readonly yes?: readonly BucketCount[];
    readonly no?: readonly BucketCount[];
    readonly unknown?: readonly BucketCount[];
    readonly served?: readonly BucketCount[];
  }[];
};

/** Counts of one group, or of all evaluations, in a window and in the window before. */
export type UsageSeries = {
  /** Null: all groups without a series, or no groups. */
  readonly group: string | null;
  readonly yes: readonly BucketCount[];
  readonly no: readonly BucketCount[];
  /** Evaluations whose result nobody reported. */
  readonly unknown: readonly BucketCount[];
  /** Only in groups of variants, instead of the others. */
  readonly served: readonly BucketCount[];
};

/** Usage in a window. Times are epoch milliseconds. */
export type Usage = {
  readonly interval: Interval;
  /** The zone in which days begin; undefined for minutes and hours, which every zone has. */
  readonly zone: Zone | undefined;
  readonly starts: readonly number[];
  readonly end: number;
  readonly completeUntil: number;
  readonly series: readonly UsageSeries[];
  /** The same series in as many buckets before the window; undefined if not all of them are stored. */
  readonly previous: readonly UsageSeries[] | undefined;
};

/** Minutes and hours are the same in every zone. */
function zoneOf({ interval, timezone }: UsageAnswer): Zone | undefined {
  if (interval === 'minute' || interval === 'hour') return undefined;
  return timezone === 'UTC' ? 'UTC' : 'local';
}

/** Divides an answer, which begins long enough before `from`, into the window and the window before. */
export function splitUsage(answer: UsageAnswer, from: number): Usage {
  const times = answer.starts.map((start) => Date.parse(start));
  const first = Math.max(
    0,
    times.findLastIndex((start) => start <= from),
  );
  const before = first - (times.length - first);
  const start = times[before];
  const knownFrom = answer.knownFrom === null ? Infinity : Date.parse(answer.knownFrom);
  const part = (begin: number, end?: number): UsageSeries[] =>
    answer.series.map(({ group, yes = [], no = [], unknown = [], served = [] }) => ({
      group,
      yes: yes.slice(begin, end),
      no: no.slice(begin, end),
      unknown: unknown.slice(begin, end),
      served: served.slice(begin, end),
    }));
  return {
    interval: answer.interval,
    zone: zoneOf(answer),
    starts: times.slice(first),
    end: Date.parse(answer.to),
    completeUntil: Date.parse(answer.completeUntil),
    series: part(first),
    previous: start === undefined || start < knownFrom ? undefined : part(before, first),
  };
}

/** Who evaluated something in the window, by series of applications, the most first; and whether there are more than these. */
export function applicationsIn({ series }: Usage): {
  readonly names: readonly string[];
  readonly hasOthers: boolean;
} {
  const counted = series
    .map(({ group, ...counts }) => ({ group, sum: evaluationsOf(counts) }))
    .filter(({ sum }) => sum > 0)
    .sort((one, other) => other.sum - one.sum);
  return {
    names: counted.flatMap(({ group }) => group ?? []),
    hasOthers: counted.some(({ group }) => group === null),
  };
}

function evaluationsOf({ yes, no, unknown }: Pick<UsageSeries, 'yes' | 'no' | 'unknown'>): number {
  return [yes, no, unknown].reduce((sum, counts) => sum + (sumOf(counts) ?? 0), 0);
}
