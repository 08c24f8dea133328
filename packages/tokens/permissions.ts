import type { Role } from './callers.ts';

/** The permissions that operations require. Every user has READ and READ_NAMES. */
export const PERMISSIONS = [
  'READ',
  'READ_NAMES',
  'GIVE_FEEDBACK',
  'CREATE_FEATURE',
  'UPDATE_FEATURE',
  'DELETE_FEATURE',
  'EDIT_STRATEGIES',
  'EDIT_CHANGE_REQUEST',
  'PUSH_CODE_REFERENCES',
  'ADMIN',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

const OF_VIEWERS: readonly Permission[] = ['READ', 'READ_NAMES', 'GIVE_FEEDBACK'];
const OF_SCANNERS: readonly Permission[] = ['READ_NAMES', 'PUSH_CODE_REFERENCES'];

/**
 * Admins may do everything, Editors everything except administer the instance. Viewers may only read, give feedback and have
 * favourites, and Scanners only scan.
 */
export function hasPermission(role: Role, permission: Permission): boolean {
  if (role === 'Scanner') return OF_SCANNERS.includes(permission);
  if (role === 'Admin') return true;
  if (role === 'Editor') return permission !== 'ADMIN';
  return OF_VIEWERS.includes(permission);
}
