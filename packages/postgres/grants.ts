import pg from 'pg';
import type { PostgresAccess } from '#runtime';
import { clientConfig } from './pool.ts';

/** Tables whose rows services cannot change or delete. They may read all of them, and add rows to those in `append`. */
export type Protected = { readonly read: readonly string[]; readonly append: readonly string[] };

/**
 * Grants the role of `service` what services need on all tables, in one transaction: everything but to change the protected ones. Does
 * nothing if it is the role of `owner`, which may do everything anyway. No name of a table comes from outside.
 */
export async function grantToService(
  owner: PostgresAccess,
  service: PostgresAccess,
  { read, append }: Protected,
): Promise<void> {
  const { user } = new pg.Client(clientConfig(service));
  const client = new pg.Client({ ...clientConfig(owner), connectionTimeoutMillis: 5000 });
  if (user === undefined || user === client.user) return;
  const role = pg.escapeIdentifier(user);
  client.on('error', () => undefined); // the statement fails with it
  await client.connect();
  try {
    await client.query(`
      begin;
      grant usage on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role};
      grant usage, select on all sequences in schema public to ${role};
      revoke update, delete, truncate, trigger on ${append.join(', ')} from ${role};
      revoke insert, update, delete, truncate, trigger on ${read.join(', ')} from ${role};
      commit;`);
  } finally {
    await client.end();
  }
}
