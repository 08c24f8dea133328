import { type Grant, PROJECT_PERMISSIONS, type Role } from './permissions.ts';
import type { ApiToken, Creator } from './tokens.ts';

/** Who performs an action: a user or an API token. All API tokens share one user id, and each has its own token id. */
export type Actor = {
  readonly userId: number;
  /** The id of an API token; undefined for users. */
  readonly tokenId: string | undefined;
  readonly role: Role;
  /** What the actor may do in projects, besides what the role permits everywhere. */
  readonly grants?: readonly Grant[];
  /** The token or session that was sent, of a user or an API token. Undefined while AUTH_TYPE is none, and for flagmeter itself. */
  readonly token?: UsedToken;
};

export type UsedToken = {
  readonly id: string;
  readonly type: ApiToken['type'];
  readonly createdBy: Creator | undefined;
};

/** What an actor has asked for, and from where, as the audit names it. */
export type Request = {
  /** The id of an operation of the admin API, or a command such as `token create`. */
  readonly operation: string;
  /** Undefined for commands. */
  readonly address: string | undefined;
  /** Those of the path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Why the actor changes something, for its events. */
  readonly comment?: string;
};

/** An actor, with the name that events record. The request is undefined for jobs of flagmeter itself. */
export type Caller = Actor & { readonly name: string; readonly request?: Request };

/** The user id that all API tokens share (docs/develop/unleash.md#events-and-change-requests). */
export const ADMIN_TOKEN_USER_ID = -42;

/** The caller while AUTH_TYPE is none. */
export const ANYBODY: Caller = { userId: -1, tokenId: undefined, role: 'Admin', name: 'unknown' };

/** The actor for changes by flagmeter itself. */
export const SYSTEM: Caller = { userId: -1337, tokenId: undefined, role: 'Admin', name: 'system' };

/** Who an actor is, whatever token and role it has. */
export type Identity = Pick<Actor, 'userId' | 'tokenId'>;

/** The personal token that was sent. What it has set up acts later only while it is not revoked: others may have had it. */
export function personalTokenOf({ token }: Pick<Actor, 'token'>): string | undefined {
  return token?.type === 'personal' ? token.id : undefined;
}

/** Whether a personal token was made by somebody else than its user, who may not even know of it. */
export function hasForeignToken({ userId, tokenId, token }: Omit<Actor, 'role'>): boolean {
  return token !== undefined && tokenId === undefined && token.createdBy?.userId !== userId;
}

export function isSameActor(one: Identity, other: Identity): boolean {
  return one.userId === other.userId && one.tokenId === other.tokenId;
}

/** Names a caller in limits: the tokens of a user count together, and each ADMIN token by itself. */
export function keyOf({ userId, tokenId }: Omit<Actor, 'role'>): string {
  return `${userId} ${tokenId ?? ''}`;
}

/** The caller with a verified token; undefined if tokens of its type may not use the admin API. */
export function callerOf(verified: ApiToken): Caller | undefined {
  const { id, name, type, user, createdBy } = verified;
  const token = { id, type, createdBy };
  if (type === 'admin' || type === 'scan')
    return { userId: ADMIN_TOKEN_USER_ID, tokenId: id, ...rightsOf(verified), name, token };
  if ((type === 'personal' || type === 'session') && user !== undefined) {
    const { role, grants = [] } = user;
    return { userId: user.id, tokenId: undefined, role, grants, name: user.name, token };
  }
  return undefined;
}

/** An ADMIN token for some projects or one environment may do there what belongs to a project, and nothing else. */
function rightsOf({ type, projects, environment }: ApiToken): Pick<Actor, 'role' | 'grants'> {
  if (type === 'scan') return { role: 'Scanner' };
  if (projects.length === 0 && environment === '*') return { role: 'Admin' };
  const environments = environment === '*' ? [] : [environment];
  const named = projects.length === 0 ? ['*'] : projects;
  return {
    role: 'None',
    grants: named.map((project) => ({ project, permissions: PROJECT_PERMISSIONS, environments })),
  };
}
