import { type ClickHouse, readRows } from '#core/clickhouse';
import { HISTORY_TOPIC } from '#core/counting';
import type { HistoryImport } from './imports.ts';

/** What ClickHouse has counted of an import. Times are epoch milliseconds. */
export type CountedImport = {
  readonly number: number;
  /** The end of its last block. */
  readonly to: bigint;
  /** Whole days. */
  readonly from: number;
  readonly before: number;
};

type Row = { readonly partition: number; readonly to: string; readonly first: string; readonly end: string };

/** By number. Postgres may know less, because an older state of it was restored. */
export async function readCountedImports(shards: readonly ClickHouse[]): Promise<CountedImport[]> {
  const rows = await Promise.all(
    shards.map((shard) => readRows<Row>(shard, COUNTED, { topic: HISTORY_TOPIC })),
  );
  return rows
    .flat()
    .map(({ partition, to, first, end }) => ({
      number: partition,
      to: BigInt(to),
      from: Number(first) * 1000,
      before: Number(end) * 1000,
    }))
    .sort((one, other) => one.number - other.number);
}

const COUNTED = `
  select
    partition,
    max(to_offset) as to,
    toUnixTimestamp(toDateTime(minIf(arrayMin(days), notEmpty(days)), 'UTC')) as first,
    toUnixTimestamp(toDateTime(maxIf(arrayMax(days), notEmpty(days)) + 1, 'UTC')) as end
  from blocks
  where topic = {topic:String}
  group by partition`;

/** The imports that only ClickHouse knows. Their rows of Unleash are lost, so days with them cannot be rebuilt. */
export function lostImports(
  known: readonly Pick<HistoryImport, 'number'>[],
  counted: readonly CountedImport[],
): HistoryImport[] {
  const numbers = new Set(known.map(({ number }) => number));
  return counted
    .filter(({ number }) => !numbers.has(number))
    .map(({ number, to, from, before }) => ({
      number,
      from,
      before,
      startedAt: from,
      days: [],
      messages: to,
      storedTo: to,
      intent: undefined,
    }));
}
