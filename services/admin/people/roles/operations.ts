import { compileGuard } from '#base/schema';
import { notValid } from '../../denial.ts';
import { type Operation, nameParameter, withBody } from '../../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import { type NewRole, type Role, newRoleSchema, roleSchema, rolesSchema } from './schema.ts';
import type { Roles } from './store.ts';

const EXAMPLE: Role = {
  name: 'Approver',
  description: 'Approves change requests',
  permissions: ['READ', 'EDIT_CHANGE_REQUEST', 'APPROVE_CHANGE_REQUEST'],
  isSystem: false,
};

const PATH = '/api/admin/roles';
const WRITE = {
  tag: 'Users',
  permission: 'ADMIN',
  scope: 'installation',
  path: `${PATH}/{roleName}`,
} as const;

/** The sets of permissions that users can have in projects. */
export function roleOperations(roles: Roles, announce: Announce): Operation[] {
  return [
    {
      id: 'listRoles',
      scope: 'shared',
      permission: 'READ',
      tag: 'Users',
      method: 'get',
      path: PATH,
      summary: 'Roles of projects, and what they permit',
      answer: { status: 200, description: 'The roles.', schema: rolesSchema, example: { roles: [EXAMPLE] } },
      run: async () => ({ roles: await roles.list() }),
    },
    {
      ...WRITE,
      id: 'putRole',
      method: 'put',
      summary: 'Add a role, or replace what it permits',
      body: {
        schema: newRoleSchema,
        example: { description: EXAMPLE.description, permissions: EXAMPLE.permissions },
      },
      answer: { status: 200, description: 'The role.', schema: roleSchema, example: EXAMPLE },
      problems: [404, 409],
      run: withBody(compileGuard<NewRole>(newRoleSchema), async (request, body) => {
        const name = nameParameter(request, 'roleName');
        if (name.length > 100) throw notValid('The name of a role has at most 100 characters.');
        const changed = await roles.put(name, body, request.caller);
        await announce(changed.tokenIds);
        return changed.role;
      }),
    },
    {
      ...WRITE,
      id: 'deleteRole',
      method: 'delete',
      summary: 'Delete a role that nobody has',
      answer: { status: 200, description: 'The role was deleted.' },
      problems: [404, 409],
      run: (request) => roles.delete(nameParameter(request, 'roleName'), request.caller),
    },
  ];
}
