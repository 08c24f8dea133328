import { type Resource, useResource } from '../requests/resource.ts';
import type { Environment } from '../../types.ts';

export function useEnvironments(): Resource<{ readonly environments: readonly Environment[] }> {
  return useResource('api/admin/environments');
}

/** Whether what is changed there reaches the customers at once. By its name until its type is known. */
export function useIsProduction(name: string): boolean {
  const environments = useEnvironments().data?.environments;
  return (environments?.find((environment) => environment.name === name)?.type ?? name) === 'production';
}
