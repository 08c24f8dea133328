import { compileGuard } from '#base/schema';
import { type Operation, idParameter, withBody } from '../../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import {
  type NewUser,
  type User,
  type UserUpdate,
  newUserSchema,
  userSchema,
  userUpdateSchema,
  usersSchema,
} from './schema.ts';
import type { Users } from './store.ts';

const EXAMPLE: User = {
  id: 7,
  username: 'ana',
  email: 'ana@example.org',
  name: 'Ana',
  imageUrl: null,
  rootRole: 'Editor',
  createdAt: '2026-11-21T10:15:00.000Z',
};

const PATH = '/api/admin/user-admin';
const ONE = { description: 'The user.', schema: userSchema, example: EXAMPLE } as const;
const COMMON = { tag: 'Users', permission: 'ADMIN', scope: 'installation' } as const;

export function userOperations(users: Users, announce: Announce): Operation[] {
  return [
    {
      ...COMMON,
      id: 'listUsers',
      queue: 'lists',
      method: 'get',
      path: PATH,
      summary: 'All users',
      answer: {
        status: 200,
        description: 'The users.',
        schema: usersSchema,
        example: { users: [EXAMPLE] },
      },
      run: async () => ({ users: await users.list() }),
    },
    {
      ...COMMON,
      id: 'createUser',
      method: 'post',
      path: PATH,
      summary: 'Create a user with a root role',
      body: { schema: newUserSchema, example: { username: 'ana', rootRole: 'Editor' } },
      answer: { status: 201, ...ONE },
      problems: [409],
      run: withBody(compileGuard<NewUser>(newUserSchema), ({ caller }, user) => users.create(user, caller)),
    },
    ...changeOperations(users, announce),
  ];
}

/** Processes cache a user's permissions with the user's tokens, so a changed role is announced like a revocation. */
function changeOperations(users: Users, announce: Announce): Operation[] {
  return [
    {
      ...COMMON,
      id: 'updateUser',
      method: 'put',
      path: `${PATH}/{userId}`,
      summary: 'Give a user another root role or name',
      body: { schema: userUpdateSchema, example: { rootRole: 'Viewer' } },
      answer: { status: 200, ...ONE },
      problems: [404, 409],
      run: withBody(compileGuard<UserUpdate>(userUpdateSchema), async (request, update) => {
        const change = await users.update(idParameter(request, 'userId'), update, request.caller);
        await announce(change.tokenIds);
        return change.user;
      }),
    },
    {
      ...COMMON,
      id: 'deleteUser',
      method: 'delete',
      path: `${PATH}/{userId}`,
      summary: 'Delete a user and their tokens',
      answer: { status: 200, description: 'The user was deleted.' },
      problems: [404],
      async run(request) {
        const change = await users.delete(idParameter(request, 'userId'), request.caller);
        await announce(change.tokenIds);
      },
    },
  ];
}
