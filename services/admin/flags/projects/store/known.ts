import type { Postgres, PostgresClient } from '#base/postgres';
import { notFound } from '../../../denial.ts';

export async function requireKnownProject(db: Postgres | PostgresClient, id: string): Promise<void> {
  const { rowCount } = await db.query('select from projects where id = $1', [id]);
  if (rowCount === 0) throw notFound(`There is no project ${id}.`);
}
