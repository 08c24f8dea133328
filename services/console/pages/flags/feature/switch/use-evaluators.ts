import { useMemo } from 'preact/hooks';
import { type Evaluators, evaluatorsIn } from './evaluators.ts';
import type { UsageSeriesAnswer } from '../../../../types.ts';
import { type Resource, useResource } from '../../../../api/requests/resource.ts';
import { pathTo } from '../../../../state/paths/path.ts';

const HOUR_MS = 3_600_000;
/** The last complete hour, one before it, and the one that still fills. */
const HOURS = 3;

/** Who evaluated a feature in an environment in the last complete hour. */
export function useEvaluators(feature: string, environment: string): Resource<Evaluators | undefined> {
  const path = useMemo(() => {
    const from = new Date(Math.floor(Date.now() / HOUR_MS - HOURS) * HOUR_MS).toISOString();
    const query = { feature, environment, from, interval: 'hour', groupBy: 'application' };
    return pathTo`api/admin/metrics/usage?${new URLSearchParams(query)}`;
  }, [feature, environment]);
  const usage = useResource<UsageSeriesAnswer>(path);
  return { ...usage, data: usage.data && evaluatorsIn(usage.data) };
}
