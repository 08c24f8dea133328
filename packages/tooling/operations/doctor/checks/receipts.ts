import { type ClickHouse, readRows } from '#core/clickhouse';
import { type Judgement, fail, ok, warn } from '../finding.ts';
import { SYNCHRONISE } from './servers/clock.ts';

/** By how much the receipt times of stored batches differ from their append times at least. */
export type ReceiptDifference = { readonly aheadMs: number; readonly behindMs: number };

/** Half of the largest difference. The alarm FlagmeterClocks has the same limit. */
const NOTABLE_MS = 5500;
/** The default of DUPLICATE_WINDOW_SECONDS, minus the time in which relays and ingest repeat a batch. */
const LARGEST_MS = 11_000;

/** Compares the clocks of ingest processes with those of brokers in the blocks of the last ten minutes. */
export async function examineReceipts(db: ClickHouse, topic: string): Promise<Judgement> {
  const rows = await readRows<{ ahead: string; behind: string }>(
    db,
    // A batch that waited is late once. In each minute, only one is late whose ingest process has a slow clock.
    `select toString(max(ahead_in_minute)) as ahead, toString(if(count(behind_in_minute) < 3, 0, min(behind_in_minute))) as behind
     from (
       select
         max(toUnixTimestamp64Milli(received_to) - toUnixTimestamp64Milli(appended_to)) as ahead_in_minute,
         max(toUnixTimestamp64Milli(previous) - toUnixTimestamp64Milli(received_from)) as behind_in_minute
       from (
         select *, lagInFrame(toNullable(appended_to)) over (
           partition by epoch, partition
           order by from_offset
           rows between 1 preceding and current row
         ) as previous
         from blocks
         where topic = {topic:String}
           and stored_at > now() - interval 10 minute
       )
       group by toStartOfMinute(stored_at)
     )`,
    { topic },
  );
  const { ahead = 0, behind = 0 } = rows[0] ?? {};
  return judgeReceipts({ aheadMs: Math.max(0, Number(ahead)), behindMs: Math.max(0, Number(behind)) });
}

export function judgeReceipts({ aheadMs, behindMs }: ReceiptDifference): Judgement {
  const largestMs = Math.max(aheadMs, behindMs);
  if (largestMs < NOTABLE_MS)
    return ok('The clocks of ingest and Kafka agree, as far as the blocks of the last ten minutes show.');
  const seconds = (largestMs / 1000).toFixed(1);
  const text =
    aheadMs > behindMs
      ? `A batch was received ${seconds} s later than Kafka stored it: the clock of an ingest process is ahead, or that of a broker behind.`
      : `In each minute, batches were received ${seconds} s earlier than Kafka stored them: the clock of an ingest process is behind, that of a broker ahead, or batches wait.`;
  return largestMs < LARGEST_MS ? warn(text, SYNCHRONISE) : fail(text, SYNCHRONISE);
}
