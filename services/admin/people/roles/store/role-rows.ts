import type { Postgres, PostgresClient } from '#base/postgres';
import { permissionsOf } from '#base/tokens';
import type { Role } from '../schema.ts';

export type RoleRow = {
  name: string;
  description: string | null;
  permissions: string[];
  is_system: boolean;
};

export const ROLE_COLUMNS = 'name, description, permissions, is_system';

export async function findRole(db: Postgres | PostgresClient, name: string): Promise<Role | undefined> {
  const { rows } = await db.query<RoleRow>(`select ${ROLE_COLUMNS} from roles where name = $1`, [name]);
  return rows.map(toRole)[0];
}

export function toRole({ name, description, permissions, is_system }: RoleRow): Role {
  return { name, description, permissions: [...permissionsOf(name, permissions)], isSystem: is_system };
}
