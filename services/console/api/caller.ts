import type { Permission } from '#tokens';
import { type Resource, useResource } from './requests/resource.ts';
import type { Actor } from '../state/change-request-steps.ts';
import type { Caller } from '../types.ts';

/** Who is signed in. */
export function useCaller(): Resource<Caller> {
  return useResource('api/admin/user');
}

/** Whether the caller may do something. No one sees a button that the server would refuse, so it is false until it is known. */
export function useMay(): (permission: Permission) => boolean {
  const permissions = useCaller().data?.permissions ?? [];
  return (permission) => permissions.some((granted) => granted.permission === permission);
}

/** The caller as change requests see them. */
export function actorOf({ user, authentication }: Caller): Actor {
  return { ...user, isForeign: authentication.isForeign };
}
