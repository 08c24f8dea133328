import type { PostgresClient } from '#base/postgres';

/**
 * Deletes the features with the names of these records that only evaluations registered, archived or not, so that somebody can create
 * them. Evaluations alone must not keep a name from others.
 */
export async function makeWay(client: PostgresClient, records: readonly object[]): Promise<void> {
  await client.query(
    `delete from features as f
     using jsonb_to_recordset($1) as record (name text)
     where f.name = record.name
       and is_only_registered(f)`,
    [JSON.stringify(records)],
  );
}
