import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { type Caller, EVERY, mayIn } from '#base/tokens';
import { list, say } from '#base/words';
import { Denial, notFound, notPermitted, notValid } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { credentialsOf } from '../../users/store/credentials.ts';
import type { Assignment, Role } from '../schema.ts';
import { findRole } from './role-rows.ts';

/** More roles would make the verification of a token slow. */
const MAX_ROLES_OF_USER = 1000;

type Row = {
  user_id: number;
  user_name: string;
  issuer: string | null;
  role: string;
  environments: string[];
  from_groups: boolean;
};

/** Processes cache what a user may do with the tokens and sessions of the user. */
export type AccessChange = { readonly assignment: Assignment; readonly tokenIds: readonly string[] };

/** Who has which role in a project, by name. */
export async function listAccess(db: Postgres, project: string): Promise<Assignment[]> {
  await requireProject(db, project);
  const { rows } = await db.query<Row>(
    `select p.user_id, ${USER_NAME} as user_name, u.issuer, p.role, p.environments, p.from_groups
     from project_roles as p
     join users as u on u.id = p.user_id
     where p.project = $1
       and u.deleted_at is null
     order by user_name, p.user_id, p.role, p.from_groups`,
    [project],
  );
  return rows.map(toAssignment);
}

async function requireProject(db: Postgres | PostgresClient, id: string): Promise<void> {
  const { rowCount } = await db.query('select from projects where id = $1', [id]);
  if (rowCount === 0) throw notFound(`There is no project ${id}.`);
}

const USER_NAME = "coalesce(u.email, u.username, u.name, 'user ' || u.id)";

export type NewAccess = {
  readonly project: string;
  /** E-mail address or username. */
  readonly user: string;
  readonly role: string;
  readonly environments: readonly string[];
  readonly caller: Caller;
};

/** Gives a user a role in a project, or other environments for it. */
export function grant(
  db: Postgres,
  { project, user, role: name, environments, caller }: NewAccess,
): Promise<AccessChange> {
  return inTransaction(db, async (client) => {
    await requireProject(client, project);
    const role = await findRole(client, name);
    if (role === undefined) throw notValid(say`There is no role ${name}.`);
    rejectMore(caller, role, { project, verb: 'give' });
    const holder = await lockUser(client, user);
    if (holder === undefined)
      throw notValid(say`There is no user with the e-mail address or username ${user}.`);
    const { rows } = await client.query<{ are_environments: boolean; roles: number }>(
      `select
         (select count(*) from environments where name = any ($1::text[])) = cardinality($1::text[]) as are_environments,
         (select count(*)::int from project_roles where user_id = $2) as roles`,
      [environments, holder.id],
    );
    if (rows[0]?.are_environments !== true)
      throw notValid(`One of these environments is unknown: ${list(environments)}.`);
    if (rows[0].roles >= MAX_ROLES_OF_USER)
      throw notValid(`A user has at most ${MAX_ROLES_OF_USER} roles of projects.`);
    await client.query(
      `insert into project_roles (user_id, project, role, environments)
       values ($1, $2, $3, $4)
       on conflict (user_id, project, role, from_groups) do update
       set environments = excluded.environments`,
      [holder.id, project, name, environments],
    );
    const assignment = {
      userId: holder.id,
      userName: holder.name,
      issuer: holder.issuer,
      role: name,
      environments: [...environments],
      fromGroups: false,
    };
    await recordEvent(client, { type: 'project-access-added', caller, project, data: assignment });
    return { assignment, tokenIds: await credentialsOf(client, holder.id) };
  });
}

type Holder = { id: number; name: string; issuer: string | null };

async function lockUser(client: PostgresClient, user: string): Promise<Holder | undefined> {
  const { rows } = await client.query<Holder>(
    `select id, ${USER_NAME} as name, issuer
     from users as u
     where (user_name_key(email) = user_name_key($1) or user_name_key(username) = user_name_key($1))
       and deleted_at is null
       and not is_system
     limit 1
     for no key update`,
    [user],
  );
  return rows[0];
}

export type Held = Pick<NewAccess, 'project' | 'role' | 'caller'> & { readonly userId: number };

/** Takes a role that somebody gave. */
export function revoke(db: Postgres, { project, userId, role, caller }: Held): Promise<AccessChange> {
  return inTransaction(db, async (client) => {
    const known = await findRole(client, role);
    if (known !== undefined) rejectMore(caller, known, { project, verb: 'take' });
    const { rows } = await client.query<Row>(
      `with gone as (
         delete from project_roles
         where user_id = $1
           and project = $2
           and role = $3
           and not from_groups
         returning user_id, role, environments, from_groups
       )
       select gone.user_id, ${USER_NAME} as user_name, u.issuer, gone.role, gone.environments, gone.from_groups
       from gone
       join users as u on u.id = gone.user_id`,
      [userId, project, role],
    );
    const assignment = rows.map(toAssignment)[0];
    if (assignment === undefined) throw await whyNotRevoked(client, { project, userId, role });
    await recordEvent(client, { type: 'project-access-removed', caller, project, preData: assignment });
    return { assignment, tokenIds: await credentialsOf(client, userId) };
  });
}

async function whyNotRevoked(
  client: PostgresClient,
  { project, userId, role }: Omit<Held, 'caller'>,
): Promise<Denial> {
  const { rowCount } = await client.query(
    'select from project_roles where user_id = $1 and project = $2 and role = $3',
    [userId, project, role],
  );
  return rowCount === 0
    ? notFound('This user does not have this role in this project.')
    : new Denial('OwnedByProvider', 'Groups of the identity provider give this role: change them there.');
}

type Change = { readonly project: string; readonly verb: 'give' | 'take' };

/** Otherwise whoever manages access could do everything, and take the project from its owners. */
function rejectMore(caller: Caller, { permissions }: Role, { project, verb }: Change): void {
  const missing = permissions.find(
    (permission) => !mayIn(caller, permission, { project, environment: EVERY }),
  );
  if (missing !== undefined)
    throw notPermitted(`You lack the permission ${missing}, so you cannot ${verb} it.`);
}

function toAssignment({ user_id, user_name, from_groups, ...row }: Row): Assignment {
  return { userId: user_id, userName: user_name, fromGroups: from_groups, ...row };
}
