import { useCallback } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { Zone } from '../../state/format.ts';
import { zoneName } from '../../state/time/local-zone.ts';
import { LONGEST_MS, type Range, rangeOf } from '../../state/time/range.ts';
import { type Usage, splitUsage } from '../../state/usage.ts';
import { type Path, pathTo } from '../../state/paths/path.ts';
import { type Read, type Resource, useReading } from '../requests/resource.ts';
import type { UsageSeriesAnswer } from '../../types.ts';

export type UsageFilter = {
  /** Absent: all features added up. */
  readonly feature?: string;
  /** Absent: all environments. */
  readonly environment?: string | undefined;
  readonly groupBy?: 'application' | 'environment' | 'variant';
};

const EVERY_MS = 30_000;
/** Whoever turns a flag on wants to see it act. */
const EVERY_MINUTES_MS = 3000;

/**
 * Usage in the time range of the URL and in the range before. Days are those of the zone switch, if hours are stored.
 * Without a filter it reads nothing.
 */
export function useUsage(filter: UsageFilter | undefined): Resource<Usage> {
  const { router, preferences } = useConsole();
  const { window = '', from = '', to = '', by = '' } = router.route.value.query;
  const zone = preferences.zone.value;
  const key = `usage ${JSON.stringify([filter, window, from, to, by, zone])}`;
  const isLive = to === '' && rangeOf({ window, by }, Date.now()).interval === 'minute';
  const read = useCallback<Read<Usage>>(
    async (api, signal) => {
      const range = rangeOf({ window, from, to, by }, Date.now());
      const answer = await api.get<UsageSeriesAnswer>(pathOf(filter ?? {}, range, zone), signal);
      return answer.problem === undefined ? { body: splitUsage(answer.body, range.from) } : answer;
    },
    [key],
  );
  return useReading(filter && key, read, {
    everyMs: isLive && filter?.groupBy === undefined ? EVERY_MINUTES_MS : EVERY_MS,
  });
}

/** The path for a range and for the range before, which has as many buckets. */
function pathOf(filter: UsageFilter, { from, to, interval }: Range, zone: Zone): Path {
  const length = (to ?? Date.now()) - from;
  const query = new URLSearchParams({
    interval,
    // Both ranges may begin and end within a bucket.
    from: new Date(from - length - 2 * LONGEST_MS[interval]).toISOString(),
    timezone: zoneName(zone),
  });
  if (to !== undefined) query.set('to', new Date(to).toISOString());
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  return pathTo`api/admin/metrics/usage?${query}`;
}
