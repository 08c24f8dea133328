import { type Resource, useResource } from '../requests/resource.ts';
import type { Environment } from '../../types.ts';
import { pathTo } from '../../state/paths/path.ts';

export function useEnvironments(): Resource<{ readonly environments: readonly Environment[] }> {
  return useResource(pathTo`api/admin/environments`);
}
