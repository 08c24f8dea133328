import { HttpProblem } from '#http';
import { type Buckets, type Calendar, createCalendar, isUtc } from './calendar.ts';
import type { SeriesQuery, UsageSeries } from './series-schema.ts';
import type { Resolution, SeriesRow } from './store/series.ts';
import type { Stored } from './store/stored.ts';
import type { UsageStore } from './store.ts';

type Series = UsageSeries['series'][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Relays send once a minute, so the counts of an hour are there a few minutes after its end. */
const LATE_MS = 5 * 60_000;
const DEFAULT_BUCKETS = 30;
const MAX_BUCKETS = 3000;
const MAX_COUNTS = 50_000;
/** Times of seconds since 1970 in 32 bits are enough for the window and the previous one. */
const EARLIEST = Date.UTC(2000);

/** Counts of features in consecutive buckets. Throws a 400 for a window that is empty or too large. */
export async function readUsageSeries(
  usage: UsageStore,
  query: SeriesQuery,
  now = Date.now(),
): Promise<UsageSeries> {
  // Only a window of local days depends on what is stored. For the others, both are read at the same time.
  const early = isLocalDays(query) ? await usage.storedFrom(now) : undefined;
  const window =
    early === undefined
      ? windowOf(query, now, query.interval === 'hour' ? 'hour' : 'day')
      : localWindowOf(query, early, now);
  const { buckets, resolution, timezone, previousStart } = window;
  const { starts, end } = buckets;
  const from = starts[0] ?? end;
  const [stored, rows] = await Promise.all([
    early ?? usage.storedFrom(now),
    usage.series({
      ...{ resolution, end, rankedFrom: from },
      starts: previousStart === undefined ? starts : [previousStart, ...starts],
      features: query.feature,
      environment: query.environment,
      application: query.application,
      groupBy: query.groupBy,
      groups: query.groups,
    }),
  ]);
  const knownFrom = stored[resolution];
  const completeUntil = Math.floor((now - LATE_MS) / msOf(resolution)) * msOf(resolution);
  return {
    interval: query.interval,
    timezone,
    from: isoOf(from),
    to: isoOf(end),
    starts: starts.map(isoOf),
    knownFrom: knownFrom === undefined ? null : isoOf(knownFrom),
    completeUntil: isoOf(completeUntil),
    isLastComplete: end <= completeUntil,
    series: seriesOf(rows, query, { ...window, knownFrom }),
  };
}

type Window = {
  readonly buckets: Buckets;
  readonly resolution: Resolution;
  readonly timezone: string;
  readonly previousStart: number | undefined;
};
/** `knownFrom` is undefined while nothing is stored. */
type KnownWindow = Window & { readonly knownFrom: number | undefined };

function windowOf(query: SeriesQuery, now: number, resolution: Resolution): Window {
  const { interval, timezone } = query;
  const calendar = createCalendar(interval, timezone);
  const buckets = bucketsOf(calendar, query, now);
  const from = buckets.starts[0] ?? buckets.end;
  const previousStart = query.previous ? calendar.before(from, buckets.starts.length) : undefined;
  return { buckets, resolution, timezone, previousStart };
}

function isLocalDays({ interval, timezone }: SeriesQuery): boolean {
  return interval !== 'hour' && !isUtc(timezone);
}

/**
 * Hours are stored for a shorter time than days of UTC. A window of local days that begins before the stored hours is answered
 * in days of UTC.
 */
function localWindowOf(query: SeriesQuery, stored: Stored, now: number): Window {
  const local = windowOf(query, now, 'hour');
  const begin = local.previousStart ?? local.buckets.starts[0] ?? local.buckets.end;
  return isStoredByHour(begin, stored) ? local : windowOf({ ...query, timezone: 'UTC' }, now, 'day');
}

/** Also if no older days are stored either. */
function isStoredByHour(begin: number, { hour = Infinity, day = Infinity }: Stored): boolean {
  return begin >= hour || hour < day + DAY_MS;
}

function bucketsOf(calendar: Calendar, query: SeriesQuery, now: number): Buckets {
  const to = Math.min(query.to === undefined ? now : Date.parse(query.to), now);
  const from =
    query.from === undefined ? calendar.before(to - 1, DEFAULT_BUCKETS - 1) : Date.parse(query.from);
  if (from >= to) throw new HttpProblem(400, 'from must be before to, and before now.');
  if (from < EARLIEST) throw new HttpProblem(400, 'from must not be before 2000-01-01.');
  const buckets = calendar.cover(from, to, MAX_BUCKETS);
  if (buckets === undefined)
    throw new HttpProblem(
      400,
      `The window has more than ${MAX_BUCKETS} buckets. Choose a longer interval or a shorter window.`,
    );
  const { feature = [''], groupBy, groups } = query;
  const counts = buckets.starts.length * feature.length * (groupBy === undefined ? 1 : groups + 1);
  if (counts > MAX_COUNTS)
    throw new HttpProblem(
      400,
      `This may be ${counts} counts, and an answer has at most ${MAX_COUNTS}. Ask for fewer features, groups or buckets.`,
    );
  return buckets;
}

/** Without groupBy, every feature has a series. */
function seriesOf(rows: readonly SeriesRow[], query: SeriesQuery, window: KnownWindow): Series[] {
  const { feature: features = [''], groupBy } = query;
  const none = groupBy === undefined ? [undefined] : [];
  const byFeature = new Map<string, (SeriesRow | undefined)[]>();
  for (const row of rows) byFeature.set(row.feature, [...(byFeature.get(row.feature) ?? []), row]);
  return features.flatMap((feature) =>
    (byFeature.get(feature) ?? none).map((row) => ({
      feature: query.feature === undefined ? null : feature,
      group: groupBy === undefined || row?.is_rest !== 0 ? null : row.name,
      ...countsOf(row, query, window),
    })),
  );
}

function countsOf(
  row: SeriesRow | undefined,
  { groupBy }: SeriesQuery,
  { buckets: { starts, end }, previousStart, knownFrom = Infinity }: KnownWindow,
): Pick<Series, 'total' | 'previous' | 'yes' | 'no' | 'served'> {
  const [counted = [], allYes = [], allNo = []] = row?.counts ?? [];
  const places = new Map(counted.map((seconds, place) => [seconds * 1000, place]));
  const countAt = (start: number, counts: readonly string[]) => Number(counts[places.get(start) ?? -1] ?? 0);
  const ofBuckets = (counts: readonly string[]) =>
    starts.map((start, index) => ((starts[index + 1] ?? end) <= knownFrom ? null : countAt(start, counts)));
  const [yes, no] = [ofBuckets(allYes), ofBuckets(allNo)];
  const named = <T>(first: T, second: T) =>
    groupBy === 'variant' ? { served: first } : { yes: first, no: second };
  return {
    total: named(sumOf(yes), sumOf(no)),
    previous:
      previousStart === undefined || previousStart < knownFrom
        ? null
        : named(countAt(previousStart, allYes), countAt(previousStart, allNo)),
    ...named(yes, no),
  };
}

function sumOf(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

function msOf(resolution: Resolution): number {
  return resolution === 'hour' ? HOUR_MS : DAY_MS;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
