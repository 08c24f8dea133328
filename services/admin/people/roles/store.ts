import { type Postgres, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notFound } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { NewRole, Role } from './schema.ts';
import { grant, listAccess, revoke } from './store/access.ts';
import { ROLE_COLUMNS, type RoleRow, toRole } from './store/role-rows.ts';

export type Roles = ReturnType<typeof createRoles>;

/** The roles of projects, and who has them. Each change writes its event. */
export function createRoles(db: Postgres) {
  return {
    listAccess: listAccess.bind(undefined, db),
    grant: grant.bind(undefined, db),
    revoke: revoke.bind(undefined, db),

    /** Those that always exist come first. */
    async list(): Promise<Role[]> {
      const { rows } = await db.query<RoleRow>(
        `select ${ROLE_COLUMNS} from roles order by is_system desc, name limit 1000`,
      );
      return rows.map(toRole);
    },

    /** Adds a role, or replaces what it permits. Also returns the tokens and sessions of those who have it. */
    put: (name: string, { description, permissions }: NewRole, caller: Caller): Promise<Changed> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<RoleRow>(
          `insert into roles (name, description, permissions)
           values ($1, $2, $3)
           on conflict (name) do update
           set description = excluded.description, permissions = excluded.permissions
           where not roles.is_system
           returning ${ROLE_COLUMNS}`,
          [name, description, [...new Set(permissions)]],
        );
        const role = rows.map(toRole)[0];
        if (role === undefined) throw alwaysExists();
        await recordEvent(client, { type: 'role-updated', caller, data: role });
        const tokens = await client.query<{ id: string }>(CREDENTIALS, [name]);
        return { role, tokenIds: tokens.rows.map(({ id }) => id) };
      }),

    /** Deletes a role that nobody has. */
    delete: (name: string, caller: Caller): Promise<void> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<RoleRow>(
          `select ${ROLE_COLUMNS} from roles where name = $1 for update`,
          [name],
        );
        const role = rows.map(toRole)[0];
        if (role === undefined) throw notFound('There is no such role.');
        if (role.isSystem) throw alwaysExists();
        const used = await client.query('select from project_roles where role = $1 limit 1', [name]);
        if (used.rowCount !== 0) throw new Denial('RoleInUse', 'Somebody has this role: revoke it first.');
        await client.query('delete from roles where name = $1', [name]);
        await recordEvent(client, { type: 'role-deleted', caller, preData: role });
      }),
  };
}

function alwaysExists(): Denial {
  return new Denial('RoleInUse', 'The roles Viewer, Editor and Owner cannot be changed.');
}

export type Changed = { readonly role: Role; readonly tokenIds: readonly string[] };

const CREDENTIALS = `
  with holders as (select distinct user_id from project_roles where role = $1)
  select id from personal_access_tokens join holders using (user_id) where revoked_at is null
  union all
  select id from sessions join holders using (user_id) where revoked_at is null`;
