import { notValid } from '../../denial.ts';
import type { Visible } from '#base/tokens';
import type { SeriesQuery, UsageSeries } from './series-schema.ts';
import type { SeriesRow } from './store/series.ts';
import type { UsageStore } from './store.ts';
import { type Window, bucketFacts, chooseWindow } from './window.ts';

type Series = UsageSeries['series'][number];

const MAX_COUNTS = 50_000;

/** Counts of features in consecutive buckets. Throws a 400 for a window that is empty or too large. */
export async function readUsageSeries(
  usage: UsageStore,
  { query, visible }: { readonly query: SeriesQuery; readonly visible: Visible },
  now = Date.now(),
): Promise<UsageSeries> {
  const { window, readStored } = await chooseWindow(usage, query, now);
  const { buckets, resolution, previousStart } = window;
  failIfTooLarge(query, buckets.starts.length);
  const { starts, end } = buckets;
  const from = starts[0] ?? end;
  const [stored, rows] = await Promise.all([
    readStored(),
    usage.series({
      resolution,
      end,
      rankedFrom: from,
      starts: previousStart === undefined ? starts : [previousStart, ...starts],
      features: query.feature,
      visible,
      environment: query.environment,
      application: query.application,
      groupBy: query.groupBy,
      groups: query.groups,
    }),
  ]);
  return {
    interval: query.interval,
    ...bucketFacts(window, stored, now),
    series: seriesOf(rows, query, { ...window, knownFrom: stored[resolution] }),
  };
}

/** `knownFrom` is undefined while nothing is stored. */
type KnownWindow = Window & { readonly knownFrom: number | undefined };

function failIfTooLarge({ feature = [''], groupBy, groups }: SeriesQuery, buckets: number): void {
  const counts = buckets * feature.length * (groupBy === undefined ? 1 : groups + 1);
  if (counts > MAX_COUNTS)
    throw notValid(
      `This may be ${counts} counts, and an answer has at most ${MAX_COUNTS}. Ask for fewer features, groups or buckets.`,
    );
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
): Pick<Series, 'total' | 'previous' | 'yes' | 'no' | 'unknown' | 'served'> {
  const [counted = [], ...all] = row?.counts ?? [];
  const places = new Map(counted.map((seconds, place) => [seconds * 1000, place]));
  const countAt = (start: number, counts: readonly number[]) => counts[places.get(start) ?? -1] ?? 0;
  const ofBuckets = (counts: readonly number[]) =>
    starts.map((start, index) => ((starts[index + 1] ?? end) <= knownFrom ? null : countAt(start, counts)));
  const named = <T>(valueOf: (counts: readonly number[]) => T) => {
    const [yes, no, unknown] = [valueOf(all[0] ?? []), valueOf(all[1] ?? []), valueOf(all[2] ?? [])];
    return groupBy === 'variant' ? { served: yes } : { yes, no, unknown };
  };
  return {
    total: named((counts) => sumOf(ofBuckets(counts))),
    previous:
      previousStart === undefined || previousStart < knownFrom
        ? null
        : named((counts) => countAt(previousStart, counts)),
    ...named(ofBuckets),
  };
}

function sumOf(counts: readonly (number | null)[]): number {
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
