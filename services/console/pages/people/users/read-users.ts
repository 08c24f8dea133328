import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { User } from '../../../types.ts';

/** All users; needs the permission ADMIN. */
export function useUsers(): Resource<{ readonly users: readonly User[] }> {
  return useResource(pathTo`api/admin/user-admin`);
}
