import { OF_PARTITION, type PartitionKey } from './blocks/partition-key.ts';
import { readMinutes } from './minutes.ts';
import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client/client.ts';

/** The parts of a stored block that are needed to build it again. */
export type StoredRange = { readonly from: bigint; readonly to: bigint; readonly dead: number };

/** Stored blocks that begin at or after an offset, in order, at most `limit`. */
export async function readRangesFrom(
  db: ClickHouse,
  key: PartitionKey,
  { from, limit }: { readonly from: bigint; readonly limit: number },
): Promise<StoredRange[]> {
  const condition = 'from_offset >= {from:UInt64} order by from_offset limit {limit:UInt32}';
  return readRanges(db, condition, { ...key, from: from.toString(), limit });
}

/** The stored block that holds an offset. */
export async function readRangeAt(
  db: ClickHouse,
  key: PartitionKey,
  offset: bigint,
): Promise<StoredRange | undefined> {
  const condition = 'from_offset <= {offset:UInt64} and to_offset > {offset:UInt64} limit 1';
  return (await readRanges(db, condition, { ...key, offset: offset.toString() }))[0];
}

async function readRanges(
  db: ClickHouse,
  condition: string,
  params: Record<string, unknown>,
): Promise<StoredRange[]> {
  const rows = await readRows<{ from_offset: string; to_offset: string; dead: string }>(
    db,
    `select from_offset, to_offset, dead
     from blocks
     where ${OF_PARTITION}
       and ${condition}`,
    params,
  );
  return rows.map(({ from_offset, to_offset, dead }) => ({
    from: BigInt(from_offset),
    to: BigInt(to_offset),
    dead: Number(dead),
  }));
}

/** What the blocks show about a partition after an offset: the number of messages, and where and when they end. */
export async function readExtent(
  db: ClickHouse,
  key: PartitionKey,
  from: bigint,
): Promise<{ messages: bigint; storedTo: bigint | undefined; appendedTo: number }> {
  const rows = await readRows<{ blocks: string; messages: string; stored_to: string; appended: string }>(
    db,
    `select
       count() as blocks,
       sumIf(to_offset - greatest(from_offset, {from:UInt64}), to_offset > {from:UInt64}) as messages,
       max(to_offset) as stored_to,
       toUnixTimestamp64Milli(max(appended_to)) as appended
     from blocks
     where ${OF_PARTITION}`,
    { ...key, from: from.toString() },
  );
  const { blocks, messages, stored_to, appended } = rows[0] ?? NOTHING;
  const storedTo = blocks === '0' ? undefined : BigInt(stored_to);
  return { messages: BigInt(messages), storedTo, appendedTo: Number(appended) };
}

const NOTHING = { blocks: '0', messages: '0', stored_to: '0', appended: '0' };

/** How many blocks of other epochs were received on or after a day, or add to it. No log holds their messages. */
export async function countOtherEpochs(
  db: ClickHouse,
  { topic, epoch, day }: { readonly topic: string; readonly epoch: number; readonly day: string },
): Promise<number> {
  const rows = await readRows<{ blocks: string }>(
    db,
    `select count() as blocks
     from blocks
     where topic = {topic:String}
       and epoch != {epoch:UInt32}
       and (received_to >= {day:Date} or arrayExists(the_day -> the_day >= {day:Date}, arrayConcat(days, impact_days, reason_days)))`,
    { topic, epoch, day },
  );
  return Number(rows[0]?.blocks ?? 0);
}

/** A table of counts that is partitioned by month or by day. */
export type PartitionedTable = {
  readonly name: string;
  readonly column: 'minute' | 'hour' | 'day';
  /** The function that makes the number of the partition: 202611 or 20261128. */
  readonly partitionBy: 'toYYYYMM' | 'toYYYYMMDD';
};

/** The tables that blocks add to, by partitions or (for first and last times) over all time. Minutes only if they are kept. */
export async function readCountTables(
  db: ClickHouse,
): Promise<{ partitioned: PartitionedTable[]; seen: readonly string[] }> {
  const rows = await readRows<{ name: string; engine: string; partition_key: string }>(
    db,
    `select name, engine, partition_key
     from system.tables
     where database = currentDatabase()
       and (engine like '%SummingMergeTree' or engine like '%AggregatingMergeTree')
     order by name`,
  );
  const areMinutesKept = (await readMinutes(db)) !== undefined;
  const partitioned = rows.flatMap(({ name, partition_key }): PartitionedTable[] => {
    if (partition_key === 'toYYYYMM(hour)') return [{ name, column: 'hour', partitionBy: 'toYYYYMM' }];
    if (partition_key === 'toYYYYMM(day)') return [{ name, column: 'day', partitionBy: 'toYYYYMM' }];
    const hasMinutes = partition_key === 'toYYYYMMDD(minute)' && areMinutesKept;
    return hasMinutes ? [{ name, column: 'minute', partitionBy: 'toYYYYMMDD' }] : [];
  });
  const seen = rows.flatMap(({ name, engine, partition_key }) =>
    partition_key === '' && engine.endsWith('AggregatingMergeTree') ? name : [],
  );
  return { partitioned, seen };
}

/** The partitions that a table has in one of two databases, as numbers, of days from `from` up to and without `to` (ISO). */
export async function readPartitions(
  db: ClickHouse,
  { name }: PartitionedTable,
  { source, target, from, to }: DaysOf,
): Promise<number[]> {
  const rows = await readRows<{ partition: string }>(
    db,
    `select distinct partition_id as partition
     from system.parts
     where active
       and database in ({source:String}, {target:String})
       and table = {name:String}
       and partition_id >= left(replaceAll({from:String}, '-', ''), length(partition_id))
       and partition_id <= left(formatDateTime(toDate({to:String}) - 1, '%Y%m%d'), length(partition_id))
     order by partition_id`,
    { source, target, name, from, to },
  );
  return rows.map(({ partition }) => Number(partition));
}

/**
 * Adds the blocks of a topic that are missing here from another database. May be repeated. Their `stored_at` is the
 * time of their last message, because they take no place in the deduplication windows, which depend on `stored_at`.
 */
export async function restoreBlocks(db: ClickHouse, source: string, topic: string): Promise<void> {
  await db.command({
    query: `insert into blocks
            select * replace (appended_to as stored_at)
            from ${quoteIdentifier(source)}.blocks
            where topic = {topic:String}
              and (epoch, partition, from_offset) not in (
                select epoch, partition, from_offset
                from blocks
                where topic = {topic:String}
              )`,
    query_params: { topic },
    clickhouse_settings: COPY,
  });
}

/** Adds first and last times from another database. May be repeated, because they are minima and maxima. */
export async function mergeSeen(db: ClickHouse, source: string, table: string): Promise<void> {
  const name = quoteIdentifier(table);
  await runStatement(db, `insert into ${name} select * from ${quoteIdentifier(source)}.${name}`, COPY);
}

/** Copies are not deduplicated, because equal rows are not repetitions here. */
const COPY = { deduplicate_insert_select: 'disable', async_insert: 0, wait_end_of_query: 1 } as const;

export type DaysOf = {
  /** The database with the rebuilt days, and with room for the new partition. */
  readonly source: string;
  readonly target: string;
  /** ISO dates, half-open. */
  readonly from: string;
  readonly to: string;
};

/** Replaces days of one partition of a table in one step, so that readers see all of the old days or all of the new ones. */
export async function replaceDays(
  db: ClickHouse,
  table: PartitionedTable,
  { partition, source, target, from, to }: DaysOf & { readonly partition: number },
): Promise<void> {
  const live = `${quoteIdentifier(target)}.${quoteIdentifier(table.name)}`;
  const rebuilt = `${quoteIdentifier(source)}.${quoteIdentifier(table.name)}`;
  const next = `${quoteIdentifier(source)}.${quoteIdentifier(`${table.name}_next`)}`;
  const ofPartition = `${table.partitionBy}(${table.column}) = ${partition}`;
  const inDays = `toDate(${table.column}) >= '${from}' and toDate(${table.column}) < '${to}'`;
  await runStatement(db, `drop table if exists ${next} sync`);
  // Not as the live table, which may be replicated: two tables cannot have one path in Keeper.
  await runStatement(db, `create table ${next} as ${rebuilt}`);
  await runStatement(
    db,
    `insert into ${next} select * from ${live} where ${ofPartition} and not (${inDays})`,
    COPY,
  );
  await runStatement(
    db,
    `insert into ${next} select * from ${rebuilt} where ${ofPartition} and ${inDays}`,
    COPY,
  );
  // ClickHouse rejects a replacement from an empty source.
  const [rows] = await readRows<{ isEmpty: boolean }>(
    db,
    `select toBool(count() = 0) as isEmpty from ${next}`,
  );
  const replace =
    rows?.isEmpty === true ? `drop partition ${partition}` : `replace partition ${partition} from ${next}`;
  // The guard prevents dropping a large partition by mistake. This one is replaced by an equivalent partition.
  await runStatement(db, `alter table ${live} ${replace}`, { max_partition_size_to_drop: '0' });
  await runStatement(db, `drop table ${next} sync`);
}

export async function dropDatabase(db: ClickHouse, name: string): Promise<void> {
  await runStatement(db, `drop database if exists ${quoteIdentifier(name)} sync`);
}
