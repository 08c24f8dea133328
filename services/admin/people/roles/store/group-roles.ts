import { isDeepStrictEqual } from 'node:util';
import type { PostgresClient } from '#base/postgres';
import { type Caller, SYSTEM } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { EventType } from '../../../record/events/types-schema.ts';
import type { ProjectRole } from '../schema.ts';

export type GroupRoles = {
  /** Who signs in. */
  readonly person: Caller;
  readonly roles: readonly ProjectRole[];
};

/** `ignored` are roles whose project, role or environment does not exist. */
export type WrittenRoles = { readonly isChanged: boolean; readonly ignored: readonly ProjectRole[] };

/** Replaces the roles that groups gave to a user, with an event for each change. Roles that people gave stay. */
export async function writeGroupRoles(
  client: PostgresClient,
  { person, roles }: GroupRoles,
): Promise<WrittenRoles> {
  const before = await readGroupRoles(client, person.userId);
  const after = await knownOf(client, roles);
  const gone = before.filter((role) => !after.some((other) => isSame(role, other)));
  const changed = after.filter((role) => !before.some((other) => isDeepStrictEqual(role, other)));
  await client.query(
    `delete from project_roles
     using jsonb_to_recordset($2) as gone (project text, role text)
     where user_id = $1
       and from_groups
       and project_roles.project = gone.project
       and project_roles.role = gone.role`,
    [person.userId, JSON.stringify(gone)],
  );
  await client.query(
    `insert into project_roles (user_id, project, role, environments, from_groups)
     select $1, project, role, environments, true
     from jsonb_to_recordset($2) as given (project text, role text, environments text[])
     on conflict (user_id, project, role, from_groups) do update
     set environments = excluded.environments`,
    [person.userId, JSON.stringify(changed)],
  );
  const record = async (type: EventType, { project, ...held }: ProjectRole): Promise<void> => {
    const assignment = { userId: person.userId, userName: person.name, ...held, fromGroups: true };
    const data = type === 'project-access-added' ? { data: assignment } : { preData: assignment };
    await recordEvent(client, { type, caller: SYSTEM, actor: person, project, ...data });
  };
  for (const role of gone) await record('project-access-removed', role);
  for (const role of changed) await record('project-access-added', role);
  const ignored = roles.filter((role) => !after.some((other) => isSame(role, other)));
  return { isChanged: gone.length + changed.length > 0, ignored };
}

function isSame(one: ProjectRole, other: ProjectRole): boolean {
  return one.project === other.project && one.role === other.role;
}

async function readGroupRoles(client: PostgresClient, userId: number): Promise<ProjectRole[]> {
  const { rows } = await client.query<ProjectRole>(
    `select project, role, environments
     from project_roles
     where user_id = $1
       and from_groups
     for update`,
    [userId],
  );
  return rows;
}

/** A role with an unknown environment is left out as a whole, because without environments it would be for every one. */
async function knownOf(client: PostgresClient, roles: readonly ProjectRole[]): Promise<ProjectRole[]> {
  const { rows } = await client.query<ProjectRole>(
    `select given.project, given.role, given.environments
     from jsonb_to_recordset($1) as given (project text, role text, environments text[])
     join projects as p on p.id = given.project
     join roles as r on r.name = given.role
     where given.environments <@ array(select name::text from environments)`,
    [JSON.stringify(roles)],
  );
  return rows;
}
