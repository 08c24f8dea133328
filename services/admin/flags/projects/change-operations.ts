import { compileGuard } from '#base/schema';
import { IN_EVERY_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { type Project, type ProjectUpdate, projectSchema, projectUpdateSchema } from './schema.ts';
import type { Projects } from './store.ts';
import type { ProjectWrite } from './store/change.ts';

const PATH = '/api/admin/projects/{projectId}';
const EXAMPLE: Project = {
  id: 'shop',
  name: 'The shop',
  description: null,
  createdAt: '2026-11-21T10:15:00.000Z',
};
const ONE = { status: 200, description: 'The project.', schema: projectSchema, example: EXAMPLE } as const;
const COMMON = { tag: 'Projects', isVersioned: true } as const;
const WRITE = { ...COMMON, ifMatch: 'optional', permission: 'UPDATE_PROJECT', problems: [404, 409] } as const;

/** Operations on one project. */
export function projectChangeOperations(projects: Projects): Operation[] {
  return [
    {
      ...COMMON,
      id: 'getProject',
      scope: IN_PROJECT,
      method: 'get',
      path: PATH,
      summary: 'One project, archived or not',
      permission: 'READ',
      answer: ONE,
      problems: [404],
      run: (request) => shown(projects, request),
    },
    {
      ...WRITE,
      id: 'updateProject',
      scope: IN_PROJECT,
      method: 'put',
      path: PATH,
      summary: 'Change the name or description of a project; absent members stay',
      body: { schema: projectUpdateSchema, example: { name: 'The shop' } },
      answer: ONE,
      run: withBody(compileGuard<ProjectUpdate>(projectUpdateSchema), async (request, update) => {
        await projects.update(writeOf(request), update);
        return shown(projects, request);
      }),
    },
    {
      ...WRITE,
      id: 'archiveProject',
      scope: IN_EVERY_ENVIRONMENT,
      method: 'post',
      path: `${PATH}/archive`,
      summary: 'Archive a project without active features (reversible, idempotent)',
      answer: { status: 200, description: 'The project is archived, and lists leave it out.' },
      run: async (request) => new Versioned(await projects.archive(writeOf(request))),
    },
    {
      ...WRITE,
      id: 'reviveProject',
      scope: IN_EVERY_ENVIRONMENT,
      method: 'post',
      path: `${PATH}/revive`,
      summary: 'Revive an archived project; its features stay archived',
      answer: { status: 200, description: 'The project is active.' },
      run: async (request) => new Versioned(await projects.revive(writeOf(request))),
    },
  ];
}

async function shown(projects: Projects, request: AdminRequest): Promise<Versioned> {
  const { version, project } = await projects.find(nameParameter(request, 'projectId'));
  return new Versioned(version, project);
}

function writeOf(request: AdminRequest): ProjectWrite {
  return { id: nameParameter(request, 'projectId'), caller: request.caller, isCurrent: request.isCurrent };
}
