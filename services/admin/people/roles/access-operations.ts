import { HttpProblem, conflict } from '#base/http';
import { compileGuard } from '#base/schema';
import { type Caller, EVERY, mayIn } from '#base/tokens';
import { IN_EVERY_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import { type Operation, idParameter, nameParameter, notFound, withBody } from '../../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import {
  type Assignment,
  type NewAssignment,
  type Role,
  assignmentSchema,
  assignmentsSchema,
  newAssignmentSchema,
} from './schema.ts';
import type { Roles } from './store.ts';
import { MAX_ROLES_OF_USER } from './store/access.ts';

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
      async run(request) {
        const access = await roles.listAccess(nameParameter(request, 'projectId'));
        if (access === undefined) throw notFound('There is no such project.');
        return { access };
      },
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
        const role = await roles.find(nameParameter(request, 'roleName'));
        if (role === undefined) throw doesNotHave();
        rejectMore(caller, role, { project, verb: 'take' });
        const revoked = await roles.revoke({ project, userId, role: role.name, caller });
        if (revoked === 'from groups')
          throw conflict(
            'OwnedByProvider',
            'Groups of the identity provider give this role: change them there.',
          );
        if (revoked === undefined) throw doesNotHave();
        await announce(revoked.tokenIds);
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
      const role = await roles.find(body.role);
      if (role === undefined) throw new HttpProblem(400, 'There is no such role.');
      rejectMore(caller, role, { project, verb: 'give' });
      const environments = [...new Set(body.environments)];
      const granted = await roles.grant({ ...body, project, environments, caller });
      if (granted === 'unknown project') throw notFound('There is no such project.');
      if (granted === 'too many')
        throw new HttpProblem(400, `A user has at most ${MAX_ROLES_OF_USER} roles of projects.`);
      if (typeof granted === 'string') throw new HttpProblem(400, `The body names an ${granted}.`);
      await announce(granted.tokenIds);
      return granted.assignment;
    }),
  };
}

type Change = { readonly project: string; readonly verb: 'give' | 'take' };

/** Otherwise whoever manages access could do everything, and take the project from its owners. */
function rejectMore(caller: Caller, { permissions }: Role, { project, verb }: Change): void {
  const missing = permissions.find(
    (permission) => !mayIn(caller, permission, { project, environment: EVERY }),
  );
  if (missing !== undefined)
    throw new HttpProblem(403, `You lack the permission ${missing}, so you cannot ${verb} it.`);
}

function doesNotHave(): HttpProblem {
  return notFound('This user does not have this role in this project.');
}
