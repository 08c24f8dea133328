import { type Postgres, inTransaction } from '#base/postgres';
import { type Caller, permissionsOf } from '#base/tokens';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { NewRole, Role } from './schema.ts';
import { grant, listAccess, revoke } from './store/access.ts';

export type Roles = ReturnType<typeof createRoles>;

type RoleRow = { name: string; description: string | null; permissions: string[]; is_system: boolean };

const COLUMNS = 'name, description, permissions, is_system';

/** The roles of projects, and who has them. Each change writes its event. */
export function createRoles(db: Postgres) {
  return {
    listAccess: listAccess.bind(undefined, db),
    grant: grant.bind(undefined, db),
    revoke: revoke.bind(undefined, db),

    /** Those that always exist come first. */
    async list(): Promise<Role[]> {
      const { rows } = await db.query<RoleRow>(
        `select ${COLUMNS} from roles order by is_system desc, name limit 1000`,
      );
      return rows.map(toRole);
    },

    async find(name: string): Promise<Role | undefined> {
      const { rows } = await db.query<RoleRow>(`select ${COLUMNS} from roles where name = $1`, [name]);
      return rows.map(toRole)[0];
    },

    /** Adds a role, or replaces what it permits. Also returns the tokens and sessions of those who have it. */
    put: (name: string, { description, permissions }: NewRole, caller: Caller): Promise<Changed | 'system'> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<RoleRow>(
          `insert into roles (name, description, permissions)
           values ($1, $2, $3)
           on conflict (name) do update
           set description = excluded.description, permissions = excluded.permissions
           where not roles.is_system
           returning ${COLUMNS}`,
          [name, description, [...new Set(permissions)]],
        );
        const role = rows.map(toRole)[0];
        if (role === undefined) return 'system';
        await recordEvent(client, { type: 'role-updated', caller, data: role });
        const tokens = await client.query<{ id: string }>(CREDENTIALS, [name]);
        return { role, tokenIds: tokens.rows.map(({ id }) => id) };
      }),

    /** Deletes a role that nobody has. */
    delete: (name: string, caller: Caller): Promise<'deleted' | 'unknown' | 'system' | 'in use'> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<RoleRow>(
          `select ${COLUMNS} from roles where name = $1 for update`,
          [name],
        );
        const role = rows.map(toRole)[0];
        if (role === undefined) return 'unknown';
        if (role.isSystem) return 'system';
        const used = await client.query('select from project_roles where role = $1 limit 1', [name]);
        if (used.rowCount !== 0) return 'in use';
        await client.query('delete from roles where name = $1', [name]);
        await recordEvent(client, { type: 'role-deleted', caller, preData: role });
        return 'deleted';
      }),
  };
}

export type Changed = { readonly role: Role; readonly tokenIds: readonly string[] };

const CREDENTIALS = `
  with holders as (select distinct user_id from project_roles where role = $1)
  select id from personal_access_tokens join holders using (user_id) where revoked_at is null
  union all
  select id from sessions join holders using (user_id) where revoked_at is null`;

function toRole({ name, description, permissions, is_system }: RoleRow): Role {
  return { name, description, permissions: [...permissionsOf(name, permissions)], isSystem: is_system };
}
