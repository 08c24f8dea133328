import assert from 'node:assert/strict';
import { isUnavailable } from './errors.ts';
import type { Postgres, PostgresClient } from './pool/pool.ts';

/** Work for the end of a transaction, for all items that were given to it. */
export type LastStep = (client: PostgresClient, items: readonly string[]) => Promise<void>;

/** The last steps of the open transactions. */
const lastSteps = new WeakMap<PostgresClient, Map<LastStep, string[]>>();

/**
 * Runs `step` once, just before the transaction of this client is committed, so that a lock which others wait for is held for a
 * short time. Throws outside of `inTransaction`.
 */
export function atEndOfTransaction(client: PostgresClient, step: LastStep, item: string): void {
  const steps = lastSteps.get(client);
  assert(steps !== undefined, 'the client is in a transaction');
  const items = steps.get(step);
  if (items === undefined) steps.set(step, [item]);
  else items.push(item);
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<T>(
  db: Postgres,
  work: (client: PostgresClient) => Promise<T>,
): Promise<T> {
  const client = await db.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const steps = new Map<LastStep, string[]>();
    lastSteps.set(client, steps);
    const result = await work(client);
    for (const [step, items] of steps) await step(client, items);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = await rollBack(client, error);
    throw error;
  } finally {
    lastSteps.delete(client);
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
