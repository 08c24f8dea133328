import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client.ts';

/** Below the time after which a client gives up, so that the server ends the wait itself. */
const LONGEST_WAIT_S = 20;

/**
 * Waits until the current replica has all rows that any replica acknowledged before the call, and returns that replica. Does
 * nothing on a single server. Rejects if the replica cannot get them in time; the next attempt then uses the next replica.
 */
export async function caughtUp(db: ClickHouse, tables: readonly string[]): Promise<ClickHouse> {
  const replica = db.pinned();
  const replicated = await readRows<{ name: string }>(
    replica,
    `select name
     from system.tables
     where database = currentDatabase()
       and name in {tables:Array(String)}
       and startsWith(engine, 'Replicated')`,
    { tables },
  );
  for (const { name } of replicated) {
    const receive_timeout = LONGEST_WAIT_S;
    await runStatement(replica, `system sync replica ${quoteIdentifier(name)} lightweight`, {
      receive_timeout,
    });
  }
  return replica;
}
