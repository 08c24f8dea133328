import { type Postgres, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import type { Caller, Visible } from '#base/tokens';
import { Denial } from '../../denial.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { COMMENTED } from '../../http/comment.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import { SELECT_PROJECT } from './rows.ts';
import { type NewProject, type Project, newProjectSchema, projectSchema, projectsSchema } from './schema.ts';

const PROJECT = {
  id: 'default',
  name: 'Default',
  description: null,
  createdAt: '2026-11-21T10:15:00.000Z',
} satisfies Project;

export function projectOperations(db: Postgres): Operation[] {
  return [
    {
      id: 'listProjects',
      scope: 'visible',
      method: 'get',
      path: '/api/admin/projects',
      tag: 'Projects',
      summary: 'The projects',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The projects.',
        schema: projectsSchema,
        example: { version: 1, projects: [PROJECT] },
      },
      run: async ({ visible }) => ({ version: 1, projects: await listProjects(db, visible) }),
    },
    {
      id: 'createProject',
      scope: 'installation',
      method: 'post',
      path: '/api/admin/projects',
      tag: 'Projects',
      summary: 'Create a project',
      permission: 'ADMIN',
      query: COMMENTED,
      body: { schema: newProjectSchema, example: { id: 'shop', name: 'The shop' } },
      answer: { status: 201, description: 'The new project.', schema: projectSchema, example: PROJECT },
      problems: [409],
      run: withBody(compileGuard<NewProject>(newProjectSchema), ({ caller }, project) =>
        createProject(db, project, caller),
      ),
    },
  ];
}

async function listProjects(db: Postgres, visible: Visible): Promise<Project[]> {
  const { rows } = await db.query<Project>(
    `select ${SELECT_PROJECT}
     from projects
     where vanished_at is null
       and archived_at is null
       and ($1::text[] is null or id = any ($1))
     order by id`,
    [visible],
  );
  return rows;
}

function createProject(db: Postgres, project: NewProject, caller: Caller): Promise<Project> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Project>(
      `insert into projects (id, name, description)
       values ($1, $2, $3)
       on conflict (id) do nothing
       returning ${SELECT_PROJECT}`,
      [project.id, project.name, project.description],
    );
    const [created] = rows;
    if (created === undefined) throw new Denial('NameExistsError', 'A project with this id already exists.');
    await recordEvent(client, { type: 'project-created', caller, project: created.id, data: created });
    return created;
  });
}
