import { pathTo } from '../../state/paths/path.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { Verdict, Verdicts } from '../../types.ts';

const EVERY_MS = 30_000;
const MAX_VERDICTS = 1000;

/** The verdicts, of one feature or application or of all. */
export function useVerdicts(
  only: { readonly feature?: string; readonly application?: string } = {},
): Resource<Verdicts> {
  const query = new URLSearchParams({ limit: String(MAX_VERDICTS), ...only });
  return useResource(pathTo`api/admin/metrics/verdicts?${query}`, { everyMs: EVERY_MS });
}

/** The verdicts of each feature. */
export function byFeature(verdicts: readonly Verdict[]): ReadonlyMap<string, readonly Verdict[]> {
  const found = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    if (verdict.featureName === null) continue;
    const others = found.get(verdict.featureName);
    if (others === undefined) found.set(verdict.featureName, [verdict]);
    else others.push(verdict);
  }
  return found;
}
