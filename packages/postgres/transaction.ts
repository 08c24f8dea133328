import { isUnavailable } from './errors.ts';
import type { Postgres, PostgresClient } from './pool.ts';

/** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<T>(
  db: Postgres,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await db.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = await rollBack(client, error);
    throw error;
  } finally {
    client.release(failure);
  }
}

/** Why the connection must be closed, which also rolls back; undefined if it can be used again. */
async function rollBack(client: PostgresClient, error: unknown): Promise<Error | undefined> {
  if (isUnavailable(error)) return new Error('connection lost', { cause: error });
  try {
    await client.query('rollback');
    return undefined;
  } catch (cause) {
    return new Error('rollback failed', { cause });
  }
}
