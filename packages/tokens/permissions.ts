import type { RootRole } from './callers.ts';

/** What operations ask for. READ is to be known at all. */
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

/** Admins may do all, Viewers only look, give feedback and have favourites, Editors all but run the instance. */
export function hasPermission(role: RootRole, permission: Permission): boolean {
  if (role === 'Admin') return true;
  if (role === 'Editor') return permission !== 'ADMIN';
  return OF_VIEWERS.includes(permission);
}
