import { type Resource, useResource } from '../requests/resource.ts';
import type { Environment } from '../../types.ts';

export function useEnvironments(): Resource<{ readonly environments: readonly Environment[] }> {
  return useResource('api/admin/environments');
}
