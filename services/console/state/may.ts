import type { Caller, Permission } from '../types.ts';

type Granted = Pick<Caller, 'permissions'>['permissions'];

/** Where something is done. Without an environment, what is done changes none. `EVERY` changes all of them. */
export type Place = {
  readonly project: string;
  readonly environment?: string | typeof EVERY | undefined;
};

export const EVERY = Symbol('every environment');

/** `anywhere` is the installation or any project. */
export type Where = 'installation' | 'anywhere' | Place;

/** Whether a caller with these permissions may do something there, as the server decides it. */
export function mayIn(granted: Granted, permission: Permission, where: Where): boolean {
  return granted.some(
    (item) =>
      item.permission === permission &&
      (item.project === null || where === 'anywhere' || (where !== 'installation' && covers(item, where))),
  );
}

function covers({ project, environments }: Granted[number], place: Place): boolean {
  if (project !== '*' && project !== place.project) return false;
  if (place.environment === undefined || environments.length === 0) return true;
  return place.environment !== EVERY && environments.includes(place.environment);
}
