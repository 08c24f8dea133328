import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { type Block, type CountedBatch, type DeadBlock, deduplicationToken, horizonOf } from '#domain';
import { BLOCK_ROW_COLUMNS, encodeBlocks } from './block-rows.ts';
import { type ClickHouse, readRows, runStatement } from './clickhouse.ts';
import { readDeduplicationWindowUsed } from './deduplication-window.ts';
import { OF_PARTITION, type PartitionKey } from './partition-key.ts';
import { readStanding } from './shares.ts';

/** What the stored blocks before an offset say of a partition. */
export type StoredHistory = {
  /** End of the last stored block; undefined if there is none. */
  readonly storedTo: bigint | undefined;
  readonly batches: readonly CountedBatch[];
  readonly deadBlocks: readonly DeadBlock[];
};

export type Blocks = ReturnType<typeof createBlocks>;

/** Writes blocks to ClickHouse and reads back what their repetition must know. */
export function createBlocks(db: ClickHouse) {
  return {
    /**
     * Stores a block by one INSERT. Safe to repeat, in this process or another, with the same range: the token makes
     * every table ignore what it holds already. A rejection leaves the outcome open, and the query dead.
     */
    insert: (block: Block): Promise<void> => insertBlocks(db, [block]),

    /**
     * Stores a block whose INSERT may have been sent before, by us or by a worker that is gone. While ClickHouse lives its
     * tokens are enough. One that was killed while it wrote a part may have kept the token without the part, or the part without
     * the token: the marks tell. So what is marked is left out; and what the token alone kept out is sent under another one.
     */
    async complete(block: Block): Promise<void> {
      const before = await readStanding(db, block);
      await insertBlocks(db, [block], { storedShares: before.stored });
      const { stored, unclear } = await readStanding(db, block);
      // Of one life of the server: who completes the same block at the same time is recognised.
      const token = `${tokenOf([block])} again, start ${await readStart(db)}`;
      await insertBlocks(db, [block], { storedShares: [...stored, ...unclear], token });
    },

    /** Stores several blocks by one INSERT; a repetition must hold the very same blocks. */
    insertAll: (blocks: readonly Block[]): Promise<void> => insertBlocks(db, blocks),

    /** Reads what a worker must know before it stores blocks from `from` on. */
    async readHistory(key: PartitionKey, from: bigint, duplicateWindowMs: number): Promise<StoredHistory> {
      const params = { ...key, from: from.toString(), horizonMs: horizonOf(duplicateWindowMs) };
      const [storedTo, batches, deadBlocks] = await Promise.all([
        readStoredTo(db, params),
        readBatches(db, params),
        readDeadBlocks(db, params),
      ]);
      return { storedTo, batches, deadBlocks };
    },

    /** Epoch of a topic, 0 if none was recorded. */
    async readEpoch(topic: string): Promise<number> {
      const rows = await readRows<{ epoch: number }>(
        db,
        'select max(epoch) as epoch from topic_epochs where topic = {topic:String}',
        { topic },
      );
      return rows[0]?.epoch ?? 0;
    },

    /** How much of the deduplication windows is used up, at most, by what was stored since a time: 1 is all of it. */
    readWindowUsed: (sinceMs: number): Promise<number> => readDeduplicationWindowUsed(db, sinceMs),
  };
}

/** Names the first block and the last. */
function tokenOf(blocks: readonly Block[]): string {
  const tokens = blocks.map(({ range }) => deduplicationToken(range));
  return [...new Set([tokens.at(0), tokens.at(-1)])].join('..');
}

/** When the server was started, epoch seconds. */
async function readStart(db: ClickHouse): Promise<string> {
  const [row] = await readRows<{ start: string }>(db, 'select toUnixTimestamp(now()) - uptime() as start');
  return row?.start ?? '';
}

type InsertOptions = { readonly token?: string; readonly storedShares?: readonly string[] };

/** The rows of all blocks, but for the shares that are stored already. */
async function insertBlocks(
  db: ClickHouse,
  blocks: readonly Block[],
  { token = tokenOf(blocks), storedShares }: InsertOptions = {},
): Promise<void> {
  const columns = [...(storedShares === undefined ? [] : ['stored_shares']), ...BLOCK_ROW_COLUMNS];
  const queryId = randomUUID();
  try {
    const { stream } = await db.exec({
      query: `insert into block_rows (${columns.join(', ')}) format JSONCompactEachRow`,
      values: Readable.from(encodeBlocks(blocks, storedShares), { objectMode: false }),
      query_id: queryId,
      clickhouse_settings: {
        insert_deduplication_token: token,
        insert_deduplicate: 1,
        deduplicate_blocks_in_dependent_materialized_views: 1,
        async_insert: 0,
        wait_end_of_query: 1,
        // One chunk, whatever its size: the token counts chunks, and a repetition must cut alike.
        input_format_parallel_parsing: 0,
        max_insert_block_size: '10000000',
        // A block names each key once: adding up its rows finds nothing, and took a third of the CPU with many keys.
        optimize_on_insert: 0,
        input_format_json_compact_allow_variable_number_of_columns: 1,
      },
    });
    await finished(stream.resume());
  } catch (error) {
    // An INSERT whose answer is not awaited any more goes on in the server.
    await runStatement(db, `kill query where query_id = '${queryId}' sync`).catch(() => undefined);
    throw error;
  }
}

type HistoryParams = PartitionKey & { from: string; horizonMs: number };

async function readStoredTo(db: ClickHouse, params: HistoryParams): Promise<bigint | undefined> {
  const rows = await readRows<{ blocks: string; stored_to: string }>(
    db,
    `select count() as blocks, max(to_offset) as stored_to
     from blocks
     where ${OF_PARTITION}`,
    params,
  );
  const [row] = rows;
  return row === undefined || row.blocks === '0' ? undefined : BigInt(row.stored_to);
}

async function readBatches(db: ClickHouse, params: HistoryParams): Promise<CountedBatch[]> {
  const rows = await readRows<{ batch_id: string; received_at: string }>(
    db,
    // Counted batches only, as in the window itself: receipts of duplicates and dead letters do not move it.
    `with (
       select max(counted_at)
       from blocks
       array join batch_times as counted_at
       where ${OF_PARTITION}
         and to_offset <= {from:UInt64}
     ) as latest
     select batch_id, toUnixTimestamp64Milli(batch_time) as received_at
     from blocks
     array join batch_ids as batch_id, batch_times as batch_time
     where ${OF_PARTITION}
       and to_offset <= {from:UInt64}
       and received_to >= latest - toIntervalMillisecond({horizonMs:UInt32})
     order by from_offset`,
    params,
  );
  return rows.map((row) => ({ batchId: row.batch_id, receivedAt: Number(row.received_at) }));
}

async function readDeadBlocks(db: ClickHouse, params: HistoryParams): Promise<DeadBlock[]> {
  const rows = await readRows<{ from_offset: string; to_offset: string; dead: string }>(
    db,
    `select from_offset, to_offset, dead
     from blocks
     where ${OF_PARTITION}
       and to_offset <= {from:UInt64}
       and to_offset + 1000 > {from:UInt64}
       and dead > 0
     order by from_offset`,
    params,
  );
  return rows.map((row) => ({
    from: BigInt(row.from_offset),
    to: BigInt(row.to_offset),
    dead: Number(row.dead),
  }));
}
