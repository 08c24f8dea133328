import type { RootRole } from '#base/tokens';
import type { ProjectRole } from '../roles/schema.ts';

/** Who somebody is at the identity provider. */
export type Person = {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined if there is none, or if the provider does not say that it has verified it. */
  readonly email: string | undefined;
  /** Names a person without an e-mail address. It is never the address of somebody else. */
  readonly username: string;
  readonly name: string | undefined;
  /** Undefined if the provider did not say them, which differs from no groups. */
  readonly groups: readonly string[] | undefined;
};

/** The groups of each role, from the highest role to the lowest. `*` is everybody. */
export type RoleGroups = readonly { readonly role: RootRole; readonly groups: readonly string[] }[];

/** The highest role that one of these groups has; undefined if none has any. */
export function roleOf(groups: readonly string[], roles: RoleGroups): RootRole | undefined {
  const held = new Set(groups);
  return roles.find((one) => one.groups.some((group) => group === '*' || held.has(group)))?.role;
}

/** `*` is everybody. */
export type ProjectRoleOfGroup = ProjectRole & { readonly group: string };

/** The roles of projects that these groups have, each once: with the environments of all groups together. */
export function projectRolesOf(
  groups: readonly string[],
  settings: readonly ProjectRoleOfGroup[],
): ProjectRole[] {
  const roles = new Map<string, ProjectRole>();
  const held = new Set(groups);
  for (const { group, project, role, environments } of settings) {
    if (group !== '*' && !held.has(group)) continue;
    const key = JSON.stringify([project, role]);
    const before = roles.get(key)?.environments ?? environments;
    const isEvery = before.length === 0 || environments.length === 0;
    const together = isEvery ? [] : [...new Set([...before, ...environments])].sort();
    roles.set(key, { project, role, environments: together });
  }
  return [...roles.values()];
}
