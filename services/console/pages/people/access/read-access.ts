import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { type Path, pathTo } from '../../../state/paths/path.ts';
import type { Assignment, Change, Role } from '../../../types.ts';

/** Who has which role in the project; reads nothing without one. Needs the permission MANAGE_ACCESS there. */
export function useAccess(project: string | undefined): Resource<{ readonly access: readonly Assignment[] }> {
  return useResource(project === undefined ? undefined : pathOf(project), { everyMs: 30_000 });
}

export function useRoles(): Resource<{ readonly roles: readonly Role[] }> {
  return useResource(pathTo`api/admin/roles`);
}

/** The user is an e-mail address or a username. Without environments the role is for every one. */
export type NewAccess = {
  readonly user: string;
  readonly role: string;
  readonly environments: readonly string[];
};

export function grantChange(project: string, body: NewAccess): Change {
  return { method: 'POST', path: pathOf(project), body };
}

export function revokeChange(project: string, { userId, role }: Assignment): Change {
  return { method: 'DELETE', path: pathTo`${pathOf(project)}/${userId}/${role}` };
}

function pathOf(project: string): Path {
  return pathTo`api/admin/projects/${project}/access`;
}
