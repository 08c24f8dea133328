import { pathTo } from '../../state/paths/path.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { Change, CleanUp, CleanUps, FlagDebt } from '../../types.ts';

/** The board; the 1,000 flags that moved last. */
export function useCleanUps(): Resource<CleanUps> {
  return useResource(pathTo`api/admin/clean-ups?limit=1000`, { everyMs: 30_000 });
}

/** The debt of flags of the last 90 days. */
export function useFlagDebt(): Resource<FlagDebt> {
  return useResource(pathTo`api/admin/metrics/flag-debt`, { everyMs: 300_000 });
}

export function moveChange(
  { featureName }: Pick<CleanUp, 'featureName'>,
  stage: string,
  url: string | null,
): Change {
  return {
    method: 'PUT',
    path: pathTo`api/admin/clean-ups/${featureName}`,
    body: { stage, url },
  };
}
