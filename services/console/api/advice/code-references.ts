import { pathTo } from '../../state/paths/path.ts';
import { useMayReadAll } from '../caller.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { CodeRepository, FeatureReferences } from '../../types.ts';

const EVERY_MS = 60_000;
const PATH = pathTo`api/admin/code-references`;

/** The lines of code that have a name, whether a feature has it or not; the first 1,000. */
export function useCodeReferences(featureName: string): Resource<FeatureReferences> {
  return useResource(pathTo`${PATH}/features/${featureName}`, { everyMs: EVERY_MS });
}

/** The scanned branches. */
export function useCodeRepositories(): Resource<{ readonly repositories: readonly CodeRepository[] }> {
  return useResource(useMayReadAll() === true ? pathTo`${PATH}/repositories` : undefined, {
    everyMs: EVERY_MS,
  });
}
