import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Permission } from '#base/tokens';
import { CALLER } from '../state/paths/path.ts';
import { type Resource, useResource } from './requests/resource.ts';
import type { Actor } from '../state/change-request-steps.ts';
import { type Where, mayIn } from '../state/may.ts';
import type { Caller } from '../types.ts';

const UNKNOWN = { data: undefined, problem: undefined, etag: undefined, readAt: undefined } as const;

/** Read once for all components, because each row of a list may ask what its reader may do. */
export const CallerContext = createContext<Resource<Caller>>(UNKNOWN);

/** For the shell, which provides it to the components below. */
export function useReadCaller(): Resource<Caller> {
  return useResource(CALLER);
}

/** Who is signed in. */
export function useCaller(): Resource<Caller> {
  return useContext(CallerContext);
}

export type May = (permission: Permission, where?: Where) => boolean;

/**
 * Whether the caller may do something, by default in the whole installation. No one sees a button that the server would refuse, so
 * it is false until it is known.
 */
export function useMay(): May {
  const permissions = useCaller().data?.permissions ?? [];
  return (permission, where = 'installation') => mayIn(permissions, permission, where);
}

/**
 * Whether to read what belongs to no project. Undefined until it is known; true if the server cannot say who the caller is, because it
 * may still answer.
 */
export function useMayReadAll(): boolean | undefined {
  const { data, problem } = useCaller();
  if (data === undefined) return problem === undefined ? undefined : true;
  return mayIn(data.permissions, 'READ', 'installation');
}

/** The caller as change requests see them. */
export function actorOf({ user, authentication }: Caller): Actor {
  return { ...user, isForeign: authentication.isForeign };
}
