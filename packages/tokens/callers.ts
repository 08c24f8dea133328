import type { ApiToken } from './tokens.ts';

export type RootRole = 'Admin' | 'Editor' | 'Viewer';

/** Who performs an action: a user or an ADMIN token. All ADMIN tokens share one user id, and each has its own token id. */
export type Actor = {
  readonly userId: number;
  readonly tokenId: string | undefined;
  readonly role: RootRole;
};

/** An actor, with the name that events record. */
export type Caller = Actor & { readonly name: string };

/** The user id that all ADMIN tokens share (docs/unleash.md#event-records). */
export const ADMIN_TOKEN_USER_ID = -42;

/** The caller while AUTH_TYPE is none. */
export const ANYBODY: Caller = { userId: -1, tokenId: undefined, role: 'Admin', name: 'unknown' };

/** The actor for changes by flagmeter itself. */
export const SYSTEM: Caller = { userId: -1337, tokenId: undefined, role: 'Admin', name: 'system' };

export function isSameActor(one: Omit<Actor, 'role'>, other: Omit<Actor, 'role'>): boolean {
  return one.userId === other.userId && one.tokenId === other.tokenId;
}

/** The caller with a verified token; undefined if tokens of its type may not use the admin API. */
export function callerOf({ id, name, type, user }: ApiToken): Caller | undefined {
  if (type === 'admin') return { userId: ADMIN_TOKEN_USER_ID, tokenId: id, role: 'Admin', name };
  if (type === 'personal' && user !== undefined)
    return { userId: user.id, tokenId: undefined, role: user.role, name: user.name };
  return undefined;
}
