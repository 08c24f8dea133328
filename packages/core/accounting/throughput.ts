import { type ClickHouse, isoOf, readRows } from '#core/clickhouse';

/** What the worker stored in one minute. */
export type StoredMinute = {
  readonly start: string;
  readonly received: number;
  readonly counted: number;
  readonly refused: number;
  readonly duplicate: number;
  readonly dead: number;
  /** Evaluations in the counted metrics. */
  readonly yes: number;
  readonly no: number;
  /** Evaluations whose result the sender did not report. */
  readonly unknown: number;
};

const MINUTE_MS = 60_000;
const SUMS = ['received', 'counted', 'refused', 'duplicate', 'dead', 'yes', 'no', 'unknown'] as const;
const NOTHING = { received: 0, counted: 0, refused: 0, duplicate: 0, dead: 0, yes: 0, no: 0, unknown: 0 };

type Row = Readonly<Record<(typeof SUMS)[number], string>> & { readonly minute: number };

export type MinutesUntil = { readonly now: number; readonly minutes: number };

/** The last minutes, the oldest first and the current one last, by the time at which the blocks were stored. */
export async function readThroughput(
  db: ClickHouse,
  topic: string,
  { now, minutes }: MinutesUntil,
): Promise<StoredMinute[]> {
  const last = now - (now % MINUTE_MS);
  const first = last - (minutes - 1) * MINUTE_MS;
  const rows = await readRows<Row>(
    db,
    `select
       toUnixTimestamp(toStartOfMinute(b.stored_at)) as minute,
       sum(b.received) as received,
       sum(b.counted) as counted,
       sum(b.refused) as refused,
       sum(b.duplicate) as duplicate,
       sum(b.dead) as dead,
       sum(arraySum(b.day_yes)) as yes,
       sum(arraySum(b.day_no)) as no,
       sum(arraySum(b.day_unknown)) as unknown
     from blocks as b
     where topic = {topic:String}
       and stored_at >= fromUnixTimestamp64Milli({first:Int64})
     group by minute`,
    { topic, first },
  );
  const found = new Map(rows.map((row) => [row.minute, row]));
  return Array.from({ length: minutes }, (_, at) => {
    const seconds = (first + at * MINUTE_MS) / 1000;
    const row = found.get(seconds);
    const sums = row && Object.fromEntries(SUMS.map((name) => [name, Number(row[name])]));
    return { start: isoOf(seconds), ...NOTHING, ...sums };
  });
}
