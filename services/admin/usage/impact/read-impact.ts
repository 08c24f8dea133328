import type { UsageStore } from '../totals/store.ts';
import { bucketFacts, chooseWindow } from '../totals/window.ts';
import type { FeatureImpact, ImpactQuery, ImpactSeries, ImpactSeriesQuery } from './schema.ts';
import type { ImpactStore } from './store.ts';
import type { LineRow } from './store/lines.ts';

type Stores = { readonly impact: ImpactStore; readonly usage: Pick<UsageStore, 'storedFrom'> };

type OfFeature<Query> = Query & { readonly feature: string };
type OfMetric = { readonly metric: string };

/** The arms of a feature, compared over a window. Throws a 400 for a window that is empty or too large. */
export async function readFeatureImpact(
  { impact, usage }: Stores,
  { feature, metric, environment, limit, ...query }: OfFeature<ImpactQuery>,
  now = Date.now(),
): Promise<FeatureImpact> {
  const { window, readStored } = await chooseWindow(usage, query, now);
  const { starts, end } = window.buckets;
  const from = starts[0] ?? end;
  const [stored, compared] = await Promise.all([
    readStored(),
    impact.arms({ feature, metric, environment, limit, from, to: end }),
  ]);
  return {
    feature,
    from: new Date(from).toISOString(),
    to: new Date(end).toISOString(),
    knownFrom: stored.hour === undefined ? null : new Date(stored.hour).toISOString(),
    ...compared,
  };
}

/** What each arm measured, by bucket, added up over all environments and applications that fit. Throws a 400 for a window that is empty or too large. */
export async function readImpactSeries(
  { impact, usage }: Stores,
  { feature, metric, environment, application, ...query }: OfFeature<ImpactSeriesQuery> & OfMetric,
  now = Date.now(),
): Promise<ImpactSeries> {
  const { window, readStored } = await chooseWindow(usage, query, now);
  const { buckets } = window;
  // No query asks for minutes.
  const resolution = window.resolution === 'day' ? 'day' : 'hour';
  const [stored, rows] = await Promise.all([
    readStored(),
    impact.lines({ feature, metric, environment, application, resolution, ...buckets }),
  ]);
  const ends = [...buckets.starts.slice(1), buckets.end];
  const knownFrom = stored[resolution] ?? Infinity;
  return {
    interval: query.interval,
    ...bucketFacts(window, stored, now),
    arms: rows.map((row) => toLine(row, buckets.starts, (index) => (ends[index] ?? 0) > knownFrom)),
  };
}

function toLine(
  { arm, at, exposures, values, observations }: LineRow,
  starts: readonly number[],
  isKnown: (index: number) => boolean,
): ImpactSeries['arms'][number] {
  const places = new Map(at.map((seconds, place) => [seconds * 1000, place]));
  const inBuckets = (numbers: readonly (number | string)[]) =>
    starts.map((start, index) => (isKnown(index) ? Number(numbers[places.get(start) ?? -1] ?? 0) : null));
  return {
    arm,
    exposures: inBuckets(exposures),
    values: inBuckets(values),
    observations: inBuckets(observations),
  };
}
