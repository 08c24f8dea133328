import { type Block, type CountedBlock, type DeadBlock, type KnownSeries, horizonOf } from '#core/counting';
import { caughtUp } from '../client/catch-up.ts';
import { type ClickHouse, readRows } from '../client/client.ts';
import { readEpoch } from '../epochs.ts';
import { completeBlock } from './complete-block.ts';
import { readSeriesBefore } from './counter-states.ts';
import { readCountedBlocks } from './counted-blocks.ts';
import { readDeduplicationWindowUsed } from './deduplication-window.ts';
import { insertBlocks } from './insert-blocks.ts';
import { OF_PARTITION, type PartitionKey } from './partition-key.ts';
import { type Session, isSessionOver, openSession } from './insert-session.ts';

/** What the stored blocks before an offset show about a partition. */
export type StoredHistory = {
  /** End of the last stored block; 0 if there is none. */
  readonly storedTo: bigint;
  /** Those that the duplicate window knows, oldest first. */
  readonly countedBlocks: readonly CountedBlock[];
  readonly deadBlocks: readonly DeadBlock[];
  readonly series: readonly KnownSeries[];
};

export type Blocks = ReturnType<typeof createBlocks>;

/** Writes blocks to ClickHouse and reads what is needed to repeat that. */
export function createBlocks(db: ClickHouse) {
  return {
    /** Opens the session of a partition's INSERTs. It must be open before the intent of the first one is committed. */
    openSession: (): Promise<Session> => openSession(db),

    /**
     * Stores a block by one INSERT. Any process may repeat it with the same range, because each table ignores a token that it
     * has seen. On error the outcome is unknown, and the query is killed. If the session has ended, the block is completed
     * instead. Returns the session for the next block.
     */
    async insert(block: Block, session?: Session): Promise<Session> {
      try {
        await insertBlocks(db, [block], { session });
        return session;
      } catch (error) {
        if (!isSessionOver(error)) throw error;
        return completeBlock(db, block);
      }
    },

    /** Stores a block whose INSERT may already have been sent, by this worker or an earlier one. */
    complete: (block: Block): Promise<Session> => completeBlock(db, block),

    /** Stores several blocks by one INSERT; a repetition must contain exactly the same blocks. */
    insertAll: (blocks: readonly Block[]): Promise<void> => insertBlocks(db, blocks),

    /** Reads what a worker must know before it stores blocks from `from` on. */
    async readHistory(key: PartitionKey, from: bigint, duplicateWindowMs: number): Promise<StoredHistory> {
      const params = { ...key, from: from.toString() };
      const horizon = { to: from, horizonMs: horizonOf(duplicateWindowMs) };
      // A replica that lags would hide what is counted, and repetitions would count again.
      const replica = await caughtUp(db, ['blocks', 'counter_states']);
      const [storedTo, countedBlocks, deadBlocks, series] = await Promise.all([
        readStoredTo(replica, params),
        readCountedBlocks(replica, key, horizon),
        readDeadBlocks(replica, params),
        readSeriesBefore(replica, key, from),
      ]);
      return { storedTo, countedBlocks, deadBlocks, series };
    },

    /** Epoch of a topic; 0 if none was recorded. An older one would repeat offsets, so a replica catches up first. */
    readEpoch: async (topic: string): Promise<number> =>
      readEpoch(await caughtUp(db, ['topic_epochs']), topic),

    /** The used part of the deduplication windows, by what was stored since a time: at most 1, which means full. */
    readWindowUsed: (sinceMs: number): Promise<number> => readDeduplicationWindowUsed(db, sinceMs),
  };
}

type HistoryParams = PartitionKey & { from: string };

async function readStoredTo(db: ClickHouse, params: HistoryParams): Promise<bigint> {
  const rows = await readRows<{ stored_to: string }>(
    db,
    `select max(to_offset) as stored_to
     from blocks
     where ${OF_PARTITION}`,
    params,
  );
  return BigInt(rows[0]?.stored_to ?? 0);
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
