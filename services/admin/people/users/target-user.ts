import type { Permission } from '#base/tokens';
import { type AdminRequest, type Operation, idParameter } from '../../http/operation.ts';

/** Whose things an operation is about: the caller's own, or those of a user whom an Admin names. */
export type TargetUser = {
  /** The path of the user. */
  readonly path: string;
  readonly permission: Permission;
  /** The end of the ids of operations. */
  readonly idSuffix: string;
  /** The end of a sentence about the things. */
  readonly words: string;
  readonly userOf: (request: AdminRequest) => number;
  readonly problems: NonNullable<Operation['problems']>;
};

export const OF_CALLER: TargetUser = {
  path: '/api/admin/user',
  permission: 'MANAGE_OWN',
  idSuffix: '',
  words: 'of the caller',
  userOf: ({ caller }) => caller.userId,
  problems: [],
};

export const OF_USER: TargetUser = {
  path: '/api/admin/user-admin/{userId}',
  permission: 'ADMIN',
  idSuffix: 'OfUser',
  words: 'of a user',
  userOf: (request) => idParameter(request, 'userId'),
  problems: [404],
};
