import { dayOf, startOfDayMs } from '#base/schema';
import { type Block, KEPT_DAYS, type KnownSeries, type SeriesState } from '#core/counting';
import { type ClickHouse, readRows } from '../client/client.ts';
import type { PartitionKey } from './partition-key.ts';
import { lineOf, rangeOf } from './rows/row-values.ts';

/** The rows of the counters that a block changes. */
export function* counterLines({ range, series }: Block): Generator<string> {
  for (const { token, series: id, startedAt, seenAt, state, before } of series) {
    const counter = {
      ...rangeOf(range),
      token_id: token,
      series: id,
      started_at: startedAt,
      state: numbersOf(state),
      before: numbersOf(before),
    };
    yield lineOf({ kind: 'counter', hour: startOfDayMs(dayOf(seenAt)) / 1000, counter: [counter] });
  }
}

/** None if the counter is not known. */
function numbersOf(state: SeriesState | undefined): number[] {
  return state === undefined ? [] : [state.value, state.at, state.isBroken ? 1 : 0, state.seenAt];
}

type Row = {
  readonly token_id: string;
  readonly series: string;
  readonly started: string;
  readonly known: readonly (string | number)[];
};

/**
 * What the blocks before an offset know of the counters of a partition. The block that begins there may be stored in part: then what was
 * known at its beginning counts. Blocks of earlier epochs are older.
 */
export async function readSeriesBefore(
  db: ClickHouse,
  key: PartitionKey,
  before: bigint,
): Promise<KnownSeries[]> {
  return readKnown(db, RECENT, { ...key, before: before.toString(), kept: KEPT_DAYS });
}

/** Whatever was silent for longer on the last day is forgotten anyway. */
const RECENT = `day + {kept:UInt8} >= (
           select max(day)
           from counter_states
           where topic = {topic:String}
             and partition = {partition:UInt32}
         )`;

/**
 * Where a rebuild must begin so that it knows the counters, at most `from`, and what is known there: only the last state of each day is
 * stored.
 */
export async function readSeriesForRebuild(
  db: ClickHouse,
  key: PartitionKey,
  from: bigint,
): Promise<{ readonly from: bigint; readonly known: readonly KnownSeries[] }> {
  const days = await readRows<{ ended_day: string; ended_to: string }>(
    db,
    `select toString(day) as ended_day, max(last.to_offset) as ended_to
     from counter_states
     where topic = {topic:String}
       and partition = {partition:UInt32}
       and epoch = {epoch:UInt32}
     group by day
     order by day`,
    key,
  );
  const ended = days.filter(({ ended_to }) => BigInt(ended_to) <= from).at(-1);
  const start = ended === days.at(-1) ? from : BigInt(ended?.ended_to ?? 0);
  // Later days may have lost what was known at the start: a block shows only its own beginning.
  const condition = '(epoch < {epoch:UInt32} or day <= {day:Date})';
  const params = { ...key, before: start.toString(), day: ended?.ended_day ?? '1970-01-01' };
  return { from: start, known: await readKnown(db, condition, params) };
}

async function readKnown(
  db: ClickHouse,
  condition: string,
  params: Record<string, unknown>,
): Promise<KnownSeries[]> {
  const rows = await readRows<Row>(
    db,
    `select token_id, series, toString(started_at) as started, argMax(state, (epoch, stored_to)) as known
     from (
       select
         token_id,
         series,
         started_at,
         epoch,
         last.to_offset as stored_to,
         if(
           epoch = {epoch:UInt32} and last.from_offset >= {before:UInt64},
           last.before,
           last.state
         ) as state
       from counter_states
       where topic = {topic:String}
         and partition = {partition:UInt32}
         and epoch <= {epoch:UInt32}
         and ${condition}
     )
     group by token_id, series, started_at
     having notEmpty(known)`,
    params,
  );
  return rows.map(({ token_id: token, series, started, known }) => {
    const [value = 0, at = 0, isBroken, seenAt = 0] = known.map(Number);
    const state = { value, at, isBroken: isBroken === 1, seenAt };
    return { token, series, startedAt: Number(started), state };
  });
}
