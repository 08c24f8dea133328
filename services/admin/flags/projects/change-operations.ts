import { conflict } from '#base/http';
import { compileGuard } from '#base/schema';
import { IN_EVERY_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import { ownedByUnleash } from '../features/pass-on.ts';
import {
  type AdminRequest,
  type Operation,
  nameParameter,
  notFound,
  withBody,
} from '../../http/operation.ts';
import { Versioned, outdated } from '../../http/answers/versions.ts';
import { type Project, type ProjectUpdate, projectSchema, projectUpdateSchema } from './schema.ts';
import type { Projects } from './store.ts';
import type { ProjectDenial, ProjectWrite } from './store/change.ts';

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
        changed(await projects.update(writeOf(request), update));
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
      run: async (request) => new Versioned(changed(await projects.archive(writeOf(request)))),
    },
    {
      ...WRITE,
      id: 'reviveProject',
      scope: IN_EVERY_ENVIRONMENT,
      method: 'post',
      path: `${PATH}/revive`,
      summary: 'Revive an archived project; its features stay archived',
      answer: { status: 200, description: 'The project is active.' },
      run: async (request) => new Versioned(changed(await projects.revive(writeOf(request)))),
    },
  ];
}

async function shown(projects: Projects, request: AdminRequest): Promise<Versioned> {
  const found = await projects.find(nameParameter(request, 'projectId'));
  if (found === undefined) throw notFound('There is no such project.');
  return new Versioned(found.version, found.project);
}

function writeOf(request: AdminRequest): ProjectWrite {
  return { id: nameParameter(request, 'projectId'), caller: request.caller, isCurrent: request.isCurrent };
}

function changed(result: number | ProjectDenial): number {
  if (typeof result === 'number') return result;
  if (result === 'unknown') throw notFound('There is no such project.');
  if (result === 'outdated') throw outdated('the project');
  if (result === 'owned by Unleash') throw ownedByUnleash('this project');
  if (result === 'archived') throw conflict('ProjectArchived', 'The project is archived: revive it first.');
  if (result === 'default') throw conflict('ProjectInUse', 'The project default is always there.');
  throw conflict(
    'ProjectInUse',
    `The project has active features, archive or move them first: ${result.activeFeatures.join(', ')}.`,
  );
}
