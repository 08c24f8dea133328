import type { RootRole } from './callers.ts';

/** The permissions that operations require. Every known caller has READ. */
export const PERMISSIONS = [
  'READ',
  'GIVE_FEEDBACK',
  'CREATE_FEATURE',
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'EDIT_STRATEGIES',
  'EDIT_CHANGE_REQUEST',
  'ADMIN',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const OF_VIEWERS: readonly Permission[] = ['READ', 'GIVE_FEEDBACK'];

/**
 * Admins may do everything. Editors may do everything except administer the instance. Viewers may only read, give feedback and
 * have favourites.
 */
export function hasPermission(role: RootRole, permission: Permission): boolean {
  if (role === 'Admin') return true;
  if (role === 'Editor') return permission !== 'ADMIN';
  return OF_VIEWERS.includes(permission);
}
