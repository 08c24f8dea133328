import { compileGuard } from '#base/schema';
import { IN_EVERY_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import { type Operation, idParameter, nameParameter, withBody } from '../../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import {
  type Assignment,
  type NewAssignment,
  assignmentSchema,
  assignmentsSchema,
  newAssignmentSchema,
} from './schema.ts';
import type { Roles } from './store.ts';

const EXAMPLE: Assignment = {
  userId: 7,
  userName: 'ana@example.org',
  issuer: 'https://login.example.org/realms/company',
  role: 'Editor',
  environments: ['development'],
  fromGroups: false,
};

const PATH = '/api/admin/projects/{projectId}/access';
const COMMON = { tag: 'Projects', permission: 'MANAGE_ACCESS', problems: [404] } as const;

/** Who may do what in a project. */
export function accessOperations(roles: Roles, announce: Announce): Operation[] {
  return [
    {
      ...COMMON,
      id: 'listAccess',
      scope: IN_PROJECT,
      method: 'get',
      path: PATH,
      summary: 'Who has which role in a project',
      answer: {
        status: 200,
        description: 'The roles of users.',
        schema: assignmentsSchema,
        example: { access: [EXAMPLE] },
      },
      run: async (request) => ({ access: await roles.listAccess(nameParameter(request, 'projectId')) }),
    },
    grantAccess(roles, announce),
    {
      ...COMMON,
      id: 'revokeAccess',
      scope: IN_EVERY_ENVIRONMENT,
      method: 'delete',
      path: `${PATH}/{userId}/{roleName}`,
      problems: [404, 409],
      summary: 'Take a role in a project from a user. Nobody takes permissions that they lack',
      answer: { status: 200, description: 'The user does not have the role.' },
      async run(request) {
        const { caller } = request;
        const project = nameParameter(request, 'projectId');
        const userId = idParameter(request, 'userId');
        const role = nameParameter(request, 'roleName');
        const { tokenIds } = await roles.revoke({ project, userId, role, caller });
        await announce(tokenIds);
      },
    },
  ];
}

function grantAccess(roles: Roles, announce: Announce): Operation {
  return {
    ...COMMON,
    id: 'grantAccess',
    scope: IN_EVERY_ENVIRONMENT,
    method: 'post',
    path: PATH,
    summary: 'Give a user a role in a project. Nobody gives permissions that they lack',
    body: {
      schema: newAssignmentSchema,
      example: { user: 'ana@example.org', role: 'Editor', environments: ['development'] },
    },
    answer: {
      status: 200,
      description: 'The role of the user.',
      schema: assignmentSchema,
      example: EXAMPLE,
    },
    run: withBody(compileGuard<NewAssignment>(newAssignmentSchema), async (request, body) => {
      const { caller } = request;
      const project = nameParameter(request, 'projectId');
      const environments = [...new Set(body.environments)];
      const { assignment, tokenIds } = await roles.grant({ ...body, project, environments, caller });
      await announce(tokenIds);
      return assignment;
    }),
  };
}
