import { type Postgres, inTransaction } from '#base/postgres';
import type { Caller, Visible } from '#base/tokens';
import { Denial, notFound } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { Environment, NewEnvironment, NewProject, Project, ProjectUpdate } from './schema.ts';
import {
  type ProjectWrite,
  archiveProject,
  changeProject,
  reviveProject,
  updateProject,
} from './store/change.ts';

type ProjectRow = { id: string; name: string; description: string | null; created_at: Date };

export type Projects = ReturnType<typeof createProjects>;

export function createProjects(db: Postgres) {
  return {
    async list(visible: Visible): Promise<Project[]> {
      const { rows } = await db.query<ProjectRow>(
        `select id, name, description, created_at
         from projects
         where vanished_at is null
           and archived_at is null
           and ($1::text[] is null or id = any ($1))
         order by id`,
        [visible],
      );
      return rows.map(toProject);
    },

    /** Archived or not. */
    async find(id: string): Promise<{ project: Project; version: number }> {
      const { rows } = await db.query<ProjectRow & { version: number }>(
        'select id, name, description, created_at, version from projects where id = $1',
        [id],
      );
      const [found] = rows;
      if (found === undefined) throw notFound('There is no such project.');
      const { version, ...row } = found;
      return { project: toProject(row), version };
    },

    update: (write: ProjectWrite, update: ProjectUpdate) =>
      inTransaction(db, (client) =>
        changeProject(client, write, (before) => updateProject(client, before, { write, update })),
      ),
    archive: (write: ProjectWrite) =>
      inTransaction(db, (client) =>
        changeProject(client, write, (before) => archiveProject(client, before, write)),
      ),
    revive: (write: ProjectWrite) =>
      inTransaction(db, (client) =>
        changeProject(client, write, (before) => reviveProject(client, before, write)),
      ),

    create: (project: NewProject, caller: Caller): Promise<Project> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<ProjectRow>(
          `insert into projects (id, name, description)
           values ($1, $2, $3)
           on conflict (id) do nothing
           returning id, name, description, created_at`,
          [project.id, project.name, project.description],
        );
        const created = rows.map(toProject)[0];
        if (created === undefined)
          throw new Denial('NameExistsError', 'A project with this id already exists.');
        await recordEvent(client, {
          type: 'project-created',
          caller,
          project: created.id,
          data: created,
        });
        return created;
      }),
  };
}

function toProject({ created_at, ...row }: ProjectRow): Project {
  return { ...row, createdAt: created_at.toISOString() };
}

type EnvironmentRow = { name: string; type: string; enabled: boolean; sort_order: number };

export type Environments = ReturnType<typeof createEnvironments>;

export function createEnvironments(db: Postgres) {
  return {
    async list(): Promise<Environment[]> {
      const { rows } = await db.query<EnvironmentRow>(
        `select name, type, enabled, sort_order
         from environments
         where vanished_at is null
         order by sort_order, name`,
      );
      return rows.map(toEnvironment);
    },

    create: (environment: NewEnvironment, caller: Caller): Promise<Environment> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<EnvironmentRow>(
          `insert into environments (name, type, sort_order)
           values ($1, $2, $3)
           on conflict (name) do nothing
           returning name, type, enabled, sort_order`,
          [environment.name, environment.type, environment.sortOrder ?? 9999],
        );
        const created = rows.map(toEnvironment)[0];
        if (created === undefined)
          throw new Denial('NameExistsError', 'An environment with this name already exists.');
        const type = 'environment-created';
        await recordEvent(client, { type, caller, environment: created.name, data: created });
        return created;
      }),
  };
}

function toEnvironment({ sort_order, ...row }: EnvironmentRow): Environment {
  return { ...row, sortOrder: sort_order };
}
