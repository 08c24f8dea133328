import type { ApiToken } from './tokens.ts';

export type RootRole = 'Admin' | 'Editor' | 'Viewer';

/** Who acts: a user, or an ADMIN token, which has its own id beside the user id that all of them share. */
export type Actor = {
  readonly userId: number;
  readonly tokenId: string | undefined;
  readonly role: RootRole;
};

/** An actor with the name under which events remember it. */
export type Caller = Actor & { readonly name: string };

/** User id that all ADMIN tokens share (docs/unleash.md#event-records). */
export const ADMIN_TOKEN_USER_ID = -42;

/** Who calls while AUTH_TYPE is none. */
export const ANYBODY: Caller = { userId: -1, tokenId: undefined, role: 'Admin', name: 'unknown' };

/** What flagmeter does by itself. */
export const SYSTEM: Caller = { userId: -1337, tokenId: undefined, role: 'Admin', name: 'system' };

export function isSameActor(one: Omit<Actor, 'role'>, other: Omit<Actor, 'role'>): boolean {
  return one.userId === other.userId && one.tokenId === other.tokenId;
}

/** Who calls with a verified token; undefined when tokens of its type may not use the admin API. */
export function callerOf({ id, name, type, user }: ApiToken): Caller | undefined {
  if (type === 'admin') return { userId: ADMIN_TOKEN_USER_ID, tokenId: id, role: 'Admin', name };
  if (type === 'personal' && user !== undefined)
    return { userId: user.id, tokenId: undefined, role: user.role, name: user.name };
  return undefined;
}
