import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Block, deduplicationToken } from '#core/counting';
import type { ClickHouse } from '../client/client.ts';
import { encodeBlocks, tableOf } from './rows/block-rows.ts';
import { type Session, withinSession } from './insert-session.ts';

type InsertOptions = {
  readonly token?: string;
  readonly storedTargets?: readonly string[];
  readonly session?: Session;
};

const KILL_DEADLINE_MS = 5000;

/** Inserts the rows of all blocks, except for targets that already have them. */
export async function insertBlocks(
  db: ClickHouse,
  blocks: readonly Block[],
  { token = tokenOf(blocks), storedTargets, session }: InsertOptions = {},
): Promise<void> {
  const { table, columns } = tableOf(blocks);
  const first = storedTargets === undefined ? '' : 'stored_targets, ';
  const query_id = randomUUID();
  const replica = db.pinned();
  const { clickhouse_settings, ...named } = withinSession(session);
  try {
    const { stream } = await replica.exec({
      query: `insert into ${table} (${first}${columns.join(', ')}) format JSONCompactEachRow`,
      values: Readable.from(encodeBlocks(blocks, storedTargets), { objectMode: false }),
      query_id,
      ...named,
      clickhouse_settings: {
        ...clickhouse_settings,
        insert_deduplication_token: token,
        deduplicate_insert: 'enable',
        deduplicate_blocks_in_dependent_materialized_views: 1,
        async_insert: 0,
        wait_end_of_query: 1,
        // About 23 s, longer than a restart of Keeper takes. A replica that gives up within a commit shows the block for five
        // minutes, whether it is stored or not. By default it tries for minutes, although another replica could store the block.
        insert_keeper_max_retries: '8',
        // One chunk, whatever its size: the token counts chunks, so a repetition must be cut in the same way.
        input_format_parallel_parsing: 0,
        max_insert_block_size: '10000000',
        // A block has each key once, so adding up its rows is useless. With many keys it took a third of the CPU.
        optimize_on_insert: 0,
        input_format_json_compact_allow_variable_number_of_columns: 1,
      },
    });
    await finished(stream.resume());
  } catch (error) {
    // The server continues an INSERT whose answer no one waits for.
    await killQuery(replica, query_id).catch(() => undefined);
    throw error;
  }
}

/** The token makes a repetition safe while the query still runs, so a server that does not answer is not waited for. */
async function killQuery(replica: ClickHouse, id: string): Promise<void> {
  await replica.command({
    query: 'kill query where query_id = {id:String} sync',
    query_params: { id },
    abort_signal: AbortSignal.timeout(KILL_DEADLINE_MS),
  });
}

/** Names the first and the last block. */
export function tokenOf(blocks: readonly Block[]): string {
  const tokens = blocks.map(({ range }) => deduplicationToken(range));
  return [...new Set([tokens.at(0), tokens.at(-1)])].join('..');
}
