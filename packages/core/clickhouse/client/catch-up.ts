import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client.ts';

/** Below the time after which a client gives up, so that the server ends the wait itself. */
const LONGEST_WAIT_S = 20;

/**
 * Waits until the current replica has all rows of these tables, or of all tables, that any replica acknowledged before the call,
 * and returns that replica. Does nothing on a single server. Rejects if the replica cannot get them in time; the next attempt
 * then uses the next replica.
 */
export async function caughtUp(db: ClickHouse, tables?: readonly string[]): Promise<ClickHouse> {
  const replica = db.pinned();
  for (const name of await readReplicated(replica, tables)) {
    const receive_timeout = LONGEST_WAIT_S;
    await runStatement(replica, `system sync replica ${quoteIdentifier(name)} lightweight`, {
      receive_timeout,
    });
  }
  return replica;
}

/**
 * The number of INSERTs into a table that any replica acknowledged before the call, and that this one has not fetched yet. It may
 * be too large, and 0 on a single server. Unlike `caughtUp` it waits for no other replica.
 */
export async function countMissingInserts(replica: ClickHouse, table: string): Promise<number> {
  if ((await readReplicated(replica, [table])).length === 0) return 0;
  await runStatement(replica, `system sync replica ${quoteIdentifier(table)} pull`);
  const rows = await readRows<{ missing: string }>(
    replica,
    // A part holds the INSERTs that its name gives: partition, first, last, level.
    `with splitByChar('_', new_part_name) as numbers
     select sum(toUInt64(numbers[3]) - toUInt64(numbers[2]) + 1) as missing
     from system.replication_queue
     where database = currentDatabase()
       and table = {table:String}
       and type = 'GET_PART'`,
    { table },
  );
  return Number(rows[0]?.missing ?? 0);
}

async function readReplicated(replica: ClickHouse, tables?: readonly string[]): Promise<string[]> {
  const rows = await readRows<{ name: string }>(
    replica,
    `select name
     from system.tables
     where database = currentDatabase()
       ${tables === undefined ? '' : 'and name in {tables:Array(String)}'}
       and startsWith(engine, 'Replicated')`,
    tables === undefined ? {} : { tables },
  );
  return rows.map(({ name }) => name);
}
