import type { RootRole } from '#tokens';
import type { ProjectRole } from '../roles/schema.ts';

/** The groups of each role, from the highest role to the lowest. `*` is everybody. */
export type RoleGroups = readonly { readonly role: RootRole; readonly groups: readonly string[] }[];

/** The highest role that one of these groups has; undefined if none has any. */
export function roleOf(groups: readonly string[], roles: RoleGroups): RootRole | undefined {
  return roles.find((one) => one.groups.some((group) => group === '*' || groups.includes(group)))?.role;
}

/** `*` is everybody. */
export type ProjectRoleOfGroup = ProjectRole & { readonly group: string };

/** The roles of projects that these groups have, each once: with the environments of all groups together. */
export function projectRolesOf(
  groups: readonly string[],
  settings: readonly ProjectRoleOfGroup[],
): ProjectRole[] {
  const roles = new Map<string, ProjectRole>();
  for (const { group, project, role, environments } of settings) {
    if (group !== '*' && !groups.includes(group)) continue;
    const key = JSON.stringify([project, role]);
    const before = roles.get(key)?.environments ?? environments;
    const isEvery = before.length === 0 || environments.length === 0;
    const together = isEvery ? [] : [...new Set([...before, ...environments])].sort();
    roles.set(key, { project, role, environments: together });
  }
  return [...roles.values()];
}

/** Who somebody is at the identity provider. */
export type Person = {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined if there is none, or if the provider says that it has not verified it. */
  readonly email: string | undefined;
  /** Names a person without an e-mail address. */
  readonly username: string;
  readonly name: string | undefined;
  readonly groups: readonly string[];
};

type Claims = Readonly<Record<string, unknown>>;

const EMAIL = /^[^@\s\p{C}]{1,100}@[^@\s\p{C}]{1,150}$/u;
const MAX_NAME_LENGTH = 255;

/** Reads a person from claims. https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims */
export function personOf(
  { issuer, subject }: Pick<Person, 'issuer' | 'subject'>,
  claims: Claims,
  groupsClaim: string,
): Person {
  const isVerified = claims['email_verified'] !== false;
  const email = isVerified ? textIn(claims['email']) : undefined;
  return {
    issuer,
    subject,
    email: email !== undefined && EMAIL.test(email) ? email : undefined,
    username: textIn(claims['preferred_username']) ?? subject.slice(0, MAX_NAME_LENGTH),
    name: textIn(claims['name']),
    groups: groupsClaim === 'email' && !isVerified ? [] : textsIn(claims[groupsClaim]),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[^\p{C}]{1,255}$/u.test(value) ? value : undefined;
}

function textsIn(value: unknown): string[] {
  return [value].flat().filter((item) => typeof item === 'string');
}
