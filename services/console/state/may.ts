import type { Caller, Permission } from '../types.ts';

type Granted = Pick<Caller, 'permissions'>['permissions'];

/** Where something is done. Without an environment, what is done changes none. `EVERY` changes all of them. */
export type ProjectScope = {
  readonly project: string;
  readonly environment?: string | typeof EVERY | undefined;
};

export const EVERY = Symbol('every environment');

/** `anywhere` is the installation or any project. */
export type Where = 'installation' | 'anywhere' | ProjectScope;

/** Whether a caller with these permissions may do something there, as the server decides it. */
export function mayIn(granted: Granted, permission: Permission, where: Where): boolean {
  return granted.some(
    (item) =>
      item.permission === permission &&
      (item.project === null || where === 'anywhere' || (where !== 'installation' && covers(item, where))),
  );
}

function covers({ project, environments }: Granted[number], scope: ProjectScope): boolean {
  if (project !== '*' && project !== scope.project) return false;
  if (scope.environment === undefined || environments.length === 0) return true;
  return scope.environment !== EVERY && environments.includes(scope.environment);
}
