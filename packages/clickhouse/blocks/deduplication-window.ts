import { type ClickHouse, readRows } from '../client.ts';

/** A block takes a place in a table's window for each month that it touches: with late data at most three. */
const PLACES_PER_BLOCK = 3;
/** Clocks of the one that asks and of ClickHouse may differ by this much. */
const CLOCK_SLACK_MS = 60_000;

/** Beyond this an insertion may be forgotten soon; the rest is for what others store while we decide. */
export const LARGEST_USED_RATIO = 0.9;

/** How much of the deduplication windows is used up, at most, by what was stored since a time: 1 is all of it. */
export async function readDeduplicationWindowUsed(db: ClickHouse, sinceMs: number): Promise<number> {
  const rows = await readRows<{ blocks: string; places: string }>(
    db,
    // The smallest window of all tables: on a cluster another setting rules than on a single server.
    `select
       (
         select count()
         from blocks
         where stored_at >= fromUnixTimestamp64Milli({since:Int64})
       ) as blocks,
       (
         select min(toUInt64(if(
           startsWith(engine, 'Replicated'),
           extract(engine_full, '[ ,]replicated_deduplication_window = ([0-9]+)'),
           extract(engine_full, 'non_replicated_deduplication_window = ([0-9]+)')
         )))
         from system.tables
         where database = currentDatabase()
           and engine_full like '%replicated_deduplication_window = %'
       ) as places`,
    { since: sinceMs - CLOCK_SLACK_MS },
  );
  return (Number(rows[0]?.blocks ?? 0) * PLACES_PER_BLOCK) / Number(rows[0]?.places ?? 0);
}
