import { type ClickHouse, readEpoch, readRows } from '#core/clickhouse';
import type { Tally } from '#core/counting';
import type { Watermarks } from '#core/kafka';

/** The sums of all stored blocks, and where the blocks of the current epoch end, by partition. */
export type StoredTotals = { readonly tally: Tally; readonly ends: ReadonlyMap<number, bigint> };

type Row = Readonly<Record<keyof Tally | 'to_offset', string>> & {
  readonly epoch: number;
  readonly partition: number;
};

/** Reads the projection of `blocks`, so the time does not grow with the number of blocks. */
export async function readStoredTotals(db: ClickHouse, topic: string): Promise<StoredTotals> {
  const [rows, epoch] = await Promise.all([
    readRows<Row>(
      db,
      `select
         epoch,
         partition,
         max(b.to_offset) as to_offset,
         sum(b.received) as received,
         sum(b.counted) as counted,
         sum(b.refused) as refused,
         sum(b.duplicate) as duplicate,
         sum(b.dead) as dead
       from blocks as b
       where topic = {topic:String}
       group by epoch, partition`,
      { topic },
    ),
    readEpoch(db, topic),
  ]);
  const sumOf = (name: keyof Tally): number => rows.reduce((sum, row) => sum + Number(row[name]), 0);
  return {
    tally: {
      received: sumOf('received'),
      counted: sumOf('counted'),
      refused: sumOf('refused'),
      duplicate: sumOf('duplicate'),
      dead: sumOf('dead'),
    },
    ends: new Map(
      rows
        .filter((row) => row.epoch === epoch)
        .map(({ partition, to_offset }) => [partition, BigInt(to_offset)]),
    ),
  };
}

/** The number of messages in the log that no block covers yet. */
export function lagOf(log: ReadonlyMap<number, Watermarks>, ends: StoredTotals['ends']): number {
  return [...log].reduce((sum, [partition, { low, high }]) => {
    const waiting = Number(high - (ends.get(partition) ?? low));
    // The end of the log may be older than that of the blocks.
    return sum + Math.max(0, waiting);
  }, 0);
}
