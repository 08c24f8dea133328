import { type Postgres, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import { notFound } from '../../denial.ts';
import { IN_EVERY_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import { type Project, type ProjectUpdate, projectSchema, projectUpdateSchema } from './schema.ts';
import { SELECT_PROJECT } from './rows.ts';
import {
  type ProjectWrite,
  archiveProject,
  changeProject,
  reviveProject,
  updateProject,
} from './store/change.ts';

const PATH = '/api/admin/projects/{projectId}';
const EXAMPLE: Project = {
  id: 'shop',
  name: 'The shop',
  description: null,
  createdAt: '2026-11-21T10:15:00.000Z',
};
const ONE = { status: 200, description: 'The project.', schema: projectSchema, example: EXAMPLE } as const;
const COMMON = { tag: 'Projects', isVersioned: true } as const;
const WRITE = {
  ...COMMON,
  query: COMMENTED,
  ifMatch: 'optional',
  permission: 'UPDATE_PROJECT',
  problems: [404, 409],
} as const;

/** Operations on one project. */
export function projectChangeOperations(db: Postgres): Operation[] {
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
      run: (request) => shown(db, request),
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
        const write = writeOf(request);
        await inTransaction(db, (client) =>
          changeProject(client, write, (before) => updateProject(client, before, { write, update })),
        );
        return shown(db, request);
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
      run: (request) => changeState(db, writeOf(request), archiveProject),
    },
    {
      ...WRITE,
      id: 'reviveProject',
      scope: IN_EVERY_ENVIRONMENT,
      method: 'post',
      path: `${PATH}/revive`,
      summary: 'Revive an archived project; its features stay archived',
      answer: { status: 200, description: 'The project is active.' },
      run: (request) => changeState(db, writeOf(request), reviveProject),
    },
  ];
}

async function shown(db: Postgres, request: AdminRequest): Promise<Versioned> {
  const { rows } = await db.query<Project & { version: number }>(
    `select ${SELECT_PROJECT}, version from projects where id = $1`,
    [nameParameter(request, 'projectId')],
  );
  const [found] = rows;
  if (found === undefined) throw notFound('There is no such project.');
  const { version, ...project } = found;
  return new Versioned(version, project);
}

async function changeState(
  db: Postgres,
  write: ProjectWrite,
  work: typeof archiveProject,
): Promise<Versioned> {
  return new Versioned(
    await inTransaction(db, (client) =>
      changeProject(client, write, (before) => work(client, before, write)),
    ),
  );
}

function writeOf(request: AdminRequest): ProjectWrite {
  return { id: nameParameter(request, 'projectId'), caller: request.caller, isCurrent: request.isCurrent };
}
