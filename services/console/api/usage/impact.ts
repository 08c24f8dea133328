import { useCallback } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { Zone } from '../../state/format.ts';
import { zoneName } from '../../state/time/local-zone.ts';
import { type Range, rangeOf } from '../../state/time/range.ts';
import { type Path, pathTo } from '../../state/paths/path.ts';
import type { FeatureImpact, ImpactComparison, ImpactMetrics, ImpactSeries } from '../../types.ts';
import { useMayReadAll } from '../caller.ts';
import { type Read, type Resource, useReading, useResource } from '../requests/resource.ts';

const EVERY_MS = 30_000;
const MAX_ITEMS = 1000;

/** The first thousand impact metrics, by name; with a feature only those that name it. `undefined` reads nothing. */
export function useImpactMetrics(filter: { readonly feature?: string } | undefined): Resource<ImpactMetrics> {
  const query = new URLSearchParams({ ...filter, limit: String(MAX_ITEMS) });
  const path = pathTo`api/admin/metrics/impact-metrics?${query}`;
  return useResource(useMayReadAll() === true ? filter && path : undefined, { everyMs: EVERY_MS });
}

/** What the arms of a feature measured in the time range of the URL; without an environment, in each of them. */
export function useFeatureImpact(feature: string, environment: string | undefined): Resource<FeatureImpact> {
  const filter = { limit: String(MAX_ITEMS), ...(environment === undefined ? {} : { environment }) };
  return useInRange<FeatureImpact>(pathOf(feature), filter);
}

/** The arms of one comparison over the time range of the URL. */
export function useImpactSeries(
  feature: string,
  comparison: ImpactComparison | undefined,
): Resource<ImpactSeries> {
  const { metric = '', environment = '', application = '' } = comparison ?? {};
  const path = pathTo`${pathOf(feature)}/${metric}`;
  return useInRange<ImpactSeries>(comparison && path, { environment, application });
}

function pathOf(feature: string): Path {
  return pathTo`api/admin/client-metrics/features/${feature}/impact`;
}

function useInRange<T>(path: Path | undefined, filter: Readonly<Record<string, string>>): Resource<T> {
  const { router, preferences } = useConsole();
  const { window = '', from = '', to = '' } = router.route.value.query;
  const zone = preferences.zone.value;
  const key = path && JSON.stringify([path.text, filter, window, from, to, zone]);
  const read = useCallback<Read<T>>(
    (api, signal) => {
      const range = rangeOf({ window, from, to }, Date.now());
      const query = new URLSearchParams({ ...filter, ...windowOf(range, zone) });
      return api.get<T>(pathTo`${path ?? ''}?${query}`, signal);
    },
    [key],
  );
  return useReading(key, read, { everyMs: EVERY_MS });
}

/** The buckets of the charts of usage. */
function windowOf({ from, to, interval }: Range, zone: Zone): Record<string, string> {
  return {
    // Of impact metrics, no minutes are stored.
    interval: interval === 'minute' ? 'hour' : interval,
    from: new Date(from).toISOString(),
    timezone: zoneName(zone),
    ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
  };
}
