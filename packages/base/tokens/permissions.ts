export const ROOT_ROLES = ['Admin', 'Editor', 'Viewer', 'None'] as const;

/** The role of a user in the whole installation. */
export type RootRole = (typeof ROOT_ROLES)[number];

/** The role of a caller: of a user, or of a token for one purpose. */
export type Role = RootRole | 'Scanner';

/** The permissions that a role of a project can hold. */
export const PROJECT_PERMISSIONS = [
  'READ',
  'READ_NAMES',
  'CREATE_FEATURE',
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'EDIT_CHANGE_REQUEST',
  'APPROVE_CHANGE_REQUEST',
  'APPLY_CHANGE_REQUEST',
  'READ_EVENTS',
  'UPDATE_PROJECT',
  'MANAGE_TOKENS',
  'MANAGE_ACCESS',
] as const;

/** The permissions that operations require. Every user has MANAGE_OWN. */
export const PERMISSIONS = [
  ...PROJECT_PERMISSIONS,
  'MANAGE_OWN',
  'GIVE_FEEDBACK',
  'EDIT_STRATEGIES',
  'PUSH_CODE_REFERENCES',
  'ADMIN',
] as const;

export type Permission = (typeof PERMISSIONS)[number];
export type ProjectPermission = (typeof PROJECT_PERMISSIONS)[number];

const OF_PROJECT_VIEWERS = ['READ', 'READ_NAMES'] as const;
const OF_PROJECT_EDITORS = [
  ...OF_PROJECT_VIEWERS,
  'CREATE_FEATURE',
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'EDIT_CHANGE_REQUEST',
  'APPROVE_CHANGE_REQUEST',
  'APPLY_CHANGE_REQUEST',
] as const;

/** The roles of projects that always exist. Admins add others, with permissions of their choice. */
const PROJECT_ROLES = new Map<string, readonly ProjectPermission[]>([
  ['Viewer', OF_PROJECT_VIEWERS],
  ['Editor', OF_PROJECT_EDITORS],
  ['Owner', PROJECT_PERMISSIONS],
]);

const OF_VIEWERS = [...OF_PROJECT_VIEWERS, 'MANAGE_OWN', 'GIVE_FEEDBACK'] as const;

/** Admins may do everything. A user with the role None has what the roles of projects give, and a Scanner only scans. */
const OF_ROLES: Readonly<Record<Role, readonly Permission[]>> = {
  Admin: PERMISSIONS,
  Editor: [...OF_PROJECT_EDITORS, ...OF_VIEWERS, 'EDIT_STRATEGIES', 'PUSH_CODE_REFERENCES'],
  Viewer: OF_VIEWERS,
  None: ['MANAGE_OWN'],
  Scanner: ['READ_NAMES', 'PUSH_CODE_REFERENCES'],
};

/** What a role of a project permits. */
export type Grant = {
  /** '*' means every project. */
  readonly project: string;
  readonly permissions: readonly Permission[];
  /** The environments that it may change. Empty means every one. */
  readonly environments: readonly string[];
};

/** Where something is done. Without an environment, what is done changes none. `every` changes all of them. */
export type ProjectScope = {
  readonly project: string;
  readonly environment?: string | typeof EVERY | undefined;
};

export const EVERY = Symbol('every environment');

type Rights = { readonly role: Role; readonly grants?: readonly Grant[] };

/** Whether the role has the permission in the whole installation. */
export function hasPermission(role: Role, permission: Permission): boolean {
  return OF_ROLES[role].includes(permission);
}

/** Whether the actor has the permission in a scope, by the root role or by a role of the project. */
export function mayIn({ role, grants = [] }: Rights, permission: Permission, scope: ProjectScope): boolean {
  return (
    hasPermission(role, permission) ||
    grants.some(
      (grant) =>
        (grant.project === '*' || grant.project === scope.project) &&
        grant.permissions.includes(permission) &&
        covers(grant.environments, scope.environment),
    )
  );
}

function covers(environments: readonly string[], environment: ProjectScope['environment']): boolean {
  if (environment === undefined || environments.length === 0) return true;
  return environment !== EVERY && environments.includes(environment);
}

/** Names of projects; undefined means every project. */
export type Visible = readonly string[] | undefined;

/** The projects in which the actor has the permission, in alphabetical order. */
export function projectsWith({ role, grants = [] }: Rights, permission: Permission): Visible {
  if (hasPermission(role, permission)) return undefined;
  const projects = grants
    .filter(({ permissions }) => permissions.includes(permission))
    .map(({ project }) => project);
  return projects.includes('*') ? undefined : [...new Set(projects)].sort();
}

/** A role of a user in a project, as Postgres keeps it. */
export type StoredGrant = {
  readonly project: string;
  readonly role: string;
  /** Of a role that Admins have added. */
  readonly permissions: readonly string[];
  readonly environments: readonly string[];
};

export function grantsOf(stored: readonly StoredGrant[]): Grant[] {
  return stored.map(({ project, role, permissions, environments }) => ({
    project,
    environments,
    permissions: permissionsOf(role, permissions),
  }));
}

/** The permissions of a role of a project. A name that no longer exists permits nothing. */
export function permissionsOf(role: string, permissions: readonly string[]): readonly ProjectPermission[] {
  return (
    PROJECT_ROLES.get(role) ?? PROJECT_PERMISSIONS.filter((permission) => permissions.includes(permission))
  );
}
