import type { Permission } from '#base/tokens';
import { pathTo } from '../../state/paths/path.ts';
import { useMay } from '../caller.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { ProjectScope } from '../../state/may.ts';
import type { Project } from '../../types.ts';

type Projects = { readonly projects: readonly Project[] };

/** The projects in which the caller has the permission. `environment` is where it changes something, if it does. */
export function useProjectsWith(
  permission: Permission,
  environment?: ProjectScope['environment'],
): Resource<Projects> {
  const may = useMay();
  const all = useResource<Projects>(pathTo`api/admin/projects`);
  const projects = all.data?.projects.filter(({ id }) => may(permission, { project: id, environment }));
  return { ...all, data: projects && { projects } };
}
