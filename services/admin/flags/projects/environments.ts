import { type Postgres, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import type { Caller } from '#base/tokens';
import { Denial } from '../../denial.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import {
  type Environment,
  type NewEnvironment,
  environmentSchema,
  environmentsSchema,
  newEnvironmentSchema,
} from './schema.ts';

const ENVIRONMENT = { name: 'production', type: 'production', enabled: true, sortOrder: 3 };

export function environmentOperations(db: Postgres): Operation[] {
  return [
    {
      id: 'listEnvironments',
      scope: 'shared',
      method: 'get',
      path: '/api/admin/environments',
      tag: 'Projects',
      summary: 'All environments',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The environments.',
        schema: environmentsSchema,
        example: { version: 1, environments: [ENVIRONMENT] },
      },
      run: async () => ({ version: 1, environments: await listEnvironments(db) }),
    },
    {
      id: 'createEnvironment',
      scope: 'installation',
      method: 'post',
      path: '/api/admin/environments',
      tag: 'Projects',
      summary: 'Create an environment',
      permission: 'ADMIN',
      body: { schema: newEnvironmentSchema, example: { name: 'staging', type: 'preproduction' } },
      answer: {
        status: 201,
        description: 'The new environment.',
        schema: environmentSchema,
        example: ENVIRONMENT,
      },
      problems: [409],
      run: withBody(compileGuard<NewEnvironment>(newEnvironmentSchema), ({ caller }, environment) =>
        createEnvironment(db, environment, caller),
      ),
    },
  ];
}

type EnvironmentRow = { name: string; type: string; enabled: boolean; sort_order: number };

async function listEnvironments(db: Postgres): Promise<Environment[]> {
  const { rows } = await db.query<EnvironmentRow>(
    `select name, type, enabled, sort_order
     from environments
     where vanished_at is null
     order by sort_order, name`,
  );
  return rows.map(toEnvironment);
}

function createEnvironment(db: Postgres, environment: NewEnvironment, caller: Caller): Promise<Environment> {
  return inTransaction(db, async (client) => {
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
  });
}

function toEnvironment({ sort_order, ...row }: EnvironmentRow): Environment {
  return { ...row, sortOrder: sort_order };
}
