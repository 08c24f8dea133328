import { caughtUp, countMissingInserts } from '../client/catch-up.ts';
import { type ClickHouse, readRows } from '../client/client.ts';

/** A block takes one place in a table's window for each month that it touches: at most three with late data. */
const PLACES_PER_BLOCK = 3;
/** The largest difference that we expect between the caller's clock and ClickHouse's. */
const CLOCK_SLACK_MS = 60_000;

/** Above this part of the window, ClickHouse may soon forget an INSERT. The rest is for blocks that others store meanwhile. */
export const LARGEST_USED_RATIO = 0.9;

/**
 * The used part of the deduplication windows, by what was stored since a time: at most 1, which means full. Blocks that a replica
 * lacks are added, and waited for only if they matter. Another replica may alone have them, and be unreachable for long.
 */
export async function readDeduplicationWindowUsed(db: ClickHouse, sinceMs: number): Promise<number> {
  const replica = db.pinned();
  // Before the stored ones: a block that is fetched meanwhile counts twice, not never.
  const missing = await countMissingInserts(replica, 'blocks');
  const estimate = await readUsed(replica, sinceMs, missing);
  if (missing === 0 || estimate <= LARGEST_USED_RATIO) return estimate;
  return readUsed(await caughtUp(db, ['blocks']), sinceMs, 0);
}

async function readUsed(db: ClickHouse, sinceMs: number, missing: number): Promise<number> {
  const rows = await readRows<{ blocks: string; places: string }>(
    db,
    // The smallest window of all tables. Replicated tables have another setting than those of a single server.
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
  const blocks = Number(rows[0]?.blocks ?? 0) + missing;
  return (blocks * PLACES_PER_BLOCK) / Number(rows[0]?.places ?? 0);
}
