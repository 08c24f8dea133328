import { type BlockEnd, type CountedBlock, ageingBy } from '#core/counting';
import { type ClickHouse, readRows } from '../client/client.ts';
import { OF_PARTITION, type PartitionKey } from './partition-key.ts';

export type Horizon = {
  /** The end of the last block to read. */
  readonly to: bigint;
  /** The age up to which blocks matter. */
  readonly horizonMs: number;
};

/** The blocks of a partition that its duplicate window knows, oldest first. ClickHouse keeps batch ids for two days. */
export async function readCountedBlocks(
  db: ClickHouse,
  key: PartitionKey,
  horizon: Horizon,
): Promise<CountedBlock[]> {
  const rows = await readRows<Ends & { batch_ids: string[]; receipts: string[] }>(
    db,
    `select
       ${ENDS},
       batch_ids,
       arrayMap(batch_time -> toUnixTimestamp64Milli(batch_time), batch_times) as receipts
     from blocks
     where ${OF_PARTITION}
       and from_offset >= {start:UInt64}
       and to_offset <= {to:UInt64}
     order by from_offset`,
    { ...key, start: String(await readStart(db, key, horizon)), to: String(horizon.to) },
  );
  return rows.map(({ batch_ids, receipts, ...ends }) => ({
    ...endOf(ends),
    batches: batch_ids.map((batchId, index) => ({ batchId, receivedAt: Number(receipts[index]) })),
  }));
}

const PAGE = 1000;

/** The first offset of the oldest of these blocks. Reads backwards, because the last minutes are a small part of the blocks. */
async function readStart(db: ClickHouse, key: PartitionKey, { to, horizonMs }: Horizon): Promise<bigint> {
  let start = to;
  let age = 0;
  let next: BlockEnd | undefined;
  for (;;) {
    const page = await readRows<Ends>(
      db,
      `select ${ENDS}
       from blocks
       where ${OF_PARTITION}
         and from_offset < {start:UInt64}
         and to_offset <= {to:UInt64}
       order by from_offset desc
       limit ${PAGE}`,
      { ...key, start: String(start), to: String(to) },
    );
    for (const row of page) {
      const end = endOf(row);
      if (next !== undefined) age += ageingBy(next, end);
      if (age > horizonMs) return start;
      start = BigInt(row.from_offset);
      next = end;
    }
    if (page.length < PAGE) return start;
  }
}

type Ends = { readonly from_offset: string; readonly to_offset: string; readonly appended: string };

const ENDS = 'from_offset, to_offset, toUnixTimestamp64Milli(appended_to) as appended';

function endOf({ from_offset, to_offset, appended }: Ends): BlockEnd {
  return { messages: Number(BigInt(to_offset) - BigInt(from_offset)), appendedTo: Number(appended) };
}
