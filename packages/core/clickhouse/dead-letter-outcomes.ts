import {
  type BlockWithDead,
  type CountedBatch,
  type DeadLetterPlace,
  type Resolution,
  resolutionTopic,
} from '#core/counting';
import { type ClickHouse, readRows } from './client/client.ts';

/** What was done with a dead letter, as recorded in the block of its INSERT. */
export type ResolvedLetter = DeadLetterPlace & {
  readonly resolution: Resolution;
  /** Whether its batch had already been counted, so that nothing was added. */
  readonly isDuplicate: boolean;
};

const RESOLUTIONS: readonly Resolution[] = ['replayed', 'dropped'];

/** All replayed or dropped dead letters of a topic. */
export async function readResolvedLetters(db: ClickHouse, topic: string): Promise<ResolvedLetter[]> {
  type Row = { topic: string; epoch: number; partition: number; from_offset: string; duplicates: string };
  const found = RESOLUTIONS.map(async (resolution) => {
    const rows = await readRows<Row>(
      db,
      `select distinct epoch, partition, from_offset, duplicate_batches as duplicates
       from blocks
       where topic = {topic:String}`,
      { topic: resolutionTopic(resolution, topic) },
    );
    return rows.map(({ epoch, partition, from_offset, duplicates }) => ({
      topic,
      epoch,
      partition,
      offset: BigInt(from_offset),
      resolution,
      isDuplicate: duplicates !== '0',
    }));
  });
  return (await Promise.all(found)).flat();
}

/** The blocks of a topic that hold dead letters. */
export async function readBlocksWithDead(db: ClickHouse, topic: string): Promise<BlockWithDead[]> {
  type Row = { epoch: number; partition: number; from_offset: string; to_offset: string; dead: string };
  const rows = await readRows<Row>(
    db,
    `select epoch, partition, from_offset, to_offset, dead
     from blocks
     where topic = {topic:String}
       and dead > 0`,
    { topic },
  );
  return rows.map(({ epoch, partition, from_offset, to_offset, dead }) => ({
    epoch,
    partition,
    from: BigInt(from_offset),
    to: BigInt(to_offset),
    dead: Number(dead),
  }));
}

/** Counted batches with the same id and about the same receipt time. ClickHouse keeps ids for two days. */
export async function readSameBatches(
  db: ClickHouse,
  topic: string,
  { batch, windowMs }: { readonly batch: CountedBatch; readonly windowMs: number },
): Promise<CountedBatch[]> {
  const rows = await readRows<{ received_at: string }>(
    db,
    `with fromUnixTimestamp64Milli({receivedAt:Int64}) as the_receipt
     select toUnixTimestamp64Milli(batch_time) as received_at
     from blocks
     array join batch_ids as batch_id, batch_times as batch_time
     where topic in ({topic:String}, {replayed:String})
       and received_from <= the_receipt + toIntervalMillisecond({windowMs:UInt32})
       and received_to >= the_receipt - toIntervalMillisecond({windowMs:UInt32})
       and batch_id = {batchId:String}`,
    { topic, replayed: resolutionTopic('replayed', topic), windowMs, ...batch },
  );
  return rows.map(({ received_at }) => ({ batchId: batch.batchId, receivedAt: Number(received_at) }));
}

/** The numbers of dead letters of a topic: dead = open + replayed + dropped. */
export type DeadLetterAccounting = {
  readonly dead: number;
  readonly open: number;
  readonly replayed: number;
  readonly dropped: number;
  /** Metrics of the replayed letters. */
  readonly received: number;
  readonly counted: number;
  readonly refused: number;
  readonly duplicate: number;
};

export async function readDeadLetterAccounting(db: ClickHouse, topic: string): Promise<DeadLetterAccounting> {
  const rows = await readRows<Record<keyof Omit<DeadLetterAccounting, 'open'>, string>>(
    db,
    `select
       sumIf(b.dead, topic = {topic:String}) as dead,
       countIf(topic = {replayed:String}) as replayed,
       countIf(topic = {dropped:String}) as dropped,
       sumIf(b.received, topic = {replayed:String}) as received,
       sumIf(b.counted, topic = {replayed:String}) as counted,
       sumIf(b.refused, topic = {replayed:String}) as refused,
       sumIf(b.duplicate, topic = {replayed:String}) as duplicate
     from blocks as b
     where topic in ({topic:String}, {replayed:String}, {dropped:String})`,
    {
      topic,
      replayed: resolutionTopic('replayed', topic),
      dropped: resolutionTopic('dropped', topic),
    },
  );
  const { dead, replayed, dropped, received, counted, refused, duplicate } = rows[0] ?? NOTHING;
  return {
    dead: Number(dead),
    replayed: Number(replayed),
    dropped: Number(dropped),
    // Blocks are kept for 120 days, so the record of a replay may outlive the block of its letter.
    open: Math.max(0, Number(dead) - Number(replayed) - Number(dropped)),
    received: Number(received),
    counted: Number(counted),
    refused: Number(refused),
    duplicate: Number(duplicate),
  };
}

const NOTHING = { dead: 0, replayed: 0, dropped: 0, received: 0, counted: 0, refused: 0, duplicate: 0 };
