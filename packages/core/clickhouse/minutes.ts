import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client/client.ts';

/**
 * Minutes are kept while the view that fills their table exists. Without it, an INSERT costs nothing for them. A block has the same
 * rows in either case, so it stays a function of the log: if its outcome is unknown while the view is created or dropped, the next try
 * is the same block.
 */
export type Minutes = {
  /** The first day (ISO) whose minutes are whole, so that they can be compared with the blocks. */
  readonly comparedFrom: string;
};

/** Undefined if minutes are not kept. */
export async function readMinutes(db: ClickHouse): Promise<Minutes | undefined> {
  const [row] = await readRows<{ compared_from: string }>(
    db,
    `with (
       select toUInt32OrZero(extract(engine_full, 'toIntervalHour\\((\\d+)\\)'))
       from system.tables
       where database = currentDatabase()
         and name = 'usage_minutely'
     ) as kept_hours
     select toString(greatest(
       toDate(extract(comment, '[0-9]{4}-[0-9]{2}-[0-9]{2}')),
       toDate(now('UTC') - toIntervalHour(kept_hours))
     )) as compared_from
     from system.tables
     where database = currentDatabase()
       and name = 'usage_minutely_view'`,
  );
  return row === undefined ? undefined : { comparedFrom: row.compared_from };
}

/** Blocks that are being stored, and clocks that differ. */
const SLACK_MS = 300_000;
const DAY_MS = 86_400_000;

/** From this day (ISO) on minutes are whole if the view is created now: the blocks of today before it have none. */
export function comparedFromNow(now: number): string {
  return new Date(now + SLACK_MS + DAY_MS).toISOString().slice(0, 10);
}

/** Servers of one shard. `cluster` is empty if statements reach one server each. */
export type ServersOfShard = { readonly servers: readonly ClickHouse[]; readonly cluster: string };

/** Creates the view by its statement on all servers of a shard. Minutes of an earlier time are deleted first. */
export async function beginMinutes(shard: ServersOfShard, statement: string): Promise<void> {
  await endMinutes(shard);
  for (const server of shard.servers) await runStatement(server, statement);
}

/** Drops the view and all minutes. May be repeated. */
export async function endMinutes({ servers, cluster }: ServersOfShard): Promise<void> {
  const onCluster = cluster === '' ? '' : `on cluster ${quoteIdentifier(cluster)}`;
  for (const server of servers)
    await runStatement(server, `drop view if exists usage_minutely_view ${onCluster} sync`);
  const [first] = servers;
  if (first !== undefined) await runStatement(first, `truncate table usage_minutely ${onCluster}`);
}
