import { EVERY, type Permission, type ProjectScope } from '#base/tokens';

/**
 * Where the caller of an operation needs its permission:
 * - `installation`: everywhere, by the root role.
 * - `shared`: everywhere or in any project, because it is about no project and anybody who works in one needs it.
 * - `visible`: the same, and the operation shows only the projects in which the caller has the permission.
 * - otherwise in one project.
 */
export type Scope = 'installation' | 'shared' | 'visible' | InProject;

export type InProject = {
  /** What names the project: the path itself, or the thing that the path names. */
  readonly project: 'path' | 'feature' | 'verdict' | 'token' | 'body';
  /** The environment that the operation changes. Absent if it changes what no application sees. */
  readonly environment?: 'path' | typeof EVERY;
  /** What the body asks for in addition. A body that does not match its schema asks for nothing, because it does nothing. */
  readonly needsOf?: (body: unknown) => readonly Need[];
};

/** A permission that is needed in a project. */
export type Need = {
  readonly permission: Permission;
  /** `change request` is the project and environment of that of the path. Undefined if it is needed in the whole installation. */
  readonly within: ProjectScope | 'change request' | undefined;
};

export const IN_PROJECT = { project: 'path' } as const;
export const IN_ENVIRONMENT = { project: 'path', environment: 'path' } as const;
export const IN_EVERY_ENVIRONMENT = { project: 'path', environment: EVERY } as const;
export const OF_FEATURE = { project: 'feature' } as const;
export const OF_WHOLE_FEATURE = { project: 'feature', environment: EVERY } as const;

/** Says for the documentation where the permission is needed. */
export function whereOf(scope: Scope): string {
  if (typeof scope === 'string') return WORDS[scope];
  if (scope.project === 'body') return 'in the projects that the body names';
  if (scope.environment === 'path') return 'in the environment of the project';
  return scope.environment === EVERY ? 'in every environment of the project' : 'in the project';
}

const WORDS = {
  installation: 'in the installation',
  shared: 'in any project',
  visible: 'in each project that it shows',
} as const;
