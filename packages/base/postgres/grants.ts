import pg from 'pg';
import type { PostgresAccess } from '#base/runtime';
import { clientConfig } from './pool/pool.ts';

/**
 * Grants the role of `service` the listed privileges on each relation, and takes away all others, in one transaction. It also takes away
 * temporary tables, which would hide those that functions use. Does nothing if it is the role of `owner`, which may do everything
 * anyway. No name comes from outside.
 */
export async function grantToService(
  owner: PostgresAccess,
  service: PostgresAccess,
  grants: Readonly<Record<string, string>>,
): Promise<void> {
  const { user } = new pg.Client(clientConfig(service));
  const client = new pg.Client({ ...clientConfig(owner), connectionTimeoutMillis: 5000 });
  if (user === undefined || user === client.user) return;
  const role = pg.escapeIdentifier(user);
  client.on('error', () => undefined); // the statement fails with it
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const database = pg.escapeIdentifier(rows[0]?.name ?? '');
    await client.query(`
      begin;
      revoke temporary on database ${database} from public, ${role};
      grant usage on schema public to ${role};
      revoke create on schema public from public, ${role};
      revoke all on all tables in schema public from ${role};
      revoke all on all sequences in schema public from ${role};
      revoke all on ${Object.keys(grants).join(', ')} from public;
      ${Object.entries(grants)
        .map(([relation, privileges]) => `grant ${privileges} on ${relation} to ${role};`)
        .join('\n')}
      commit;`);
  } finally {
    await client.end();
  }
}
