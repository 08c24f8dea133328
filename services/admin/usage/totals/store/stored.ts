import { type ClickHouse, readUsage } from '#core/clickhouse';
import type { Config } from '#base/runtime';
import type { Resolution } from './series.ts';

/** Epoch milliseconds from which counts are stored, up to now; undefined if there are none, or if minutes are not kept. */
export type Stored = Readonly<Record<Resolution, number | undefined>>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * ClickHouse knows the first hour and day of a table without reading its rows. The setting alone does not tell what is stored,
 * because a longer retention brings nothing back. Markers may lie before the first count.
 */
const STORED_FROM = `
  with (select toUnixTimestamp(min(first_hour)) from feature_app_seen_states) as first_count
  select
    first_count,
    (select toUnixTimestamp(min(minute)) from usage_minutely) as minute,
    greatest(first_count, (select toUnixTimestamp(min(hour)) from usage_hourly)) as hour,
    (select toUnixTimestamp(toDateTime(min(day), 'UTC')) from usage_daily) as day`;

type Row = { first_count: number; minute: number; hour: number; day: number };

/** Rows that are older than the retention may not be deleted yet. They are incomplete, so they count as deleted. */
export async function readStored(
  db: ClickHouse,
  { minutelyHours, hourlyDays, dailyMonths }: Config['retention'],
  now: number,
): Promise<Stored> {
  const [row] = await readUsage<Row>(db, STORED_FROM, {});
  if (row === undefined || row.first_count === 0)
    return { minute: undefined, hour: undefined, day: undefined };
  const [hour, day, first] = [row.hour * 1000, row.day * 1000, row.first_count * 1000];
  const today = new Date(now);
  const keptDays = Date.UTC(
    today.getUTCFullYear(),
    today.getUTCMonth() - dailyMonths,
    today.getUTCDate() + 1,
  );
  const keptMinutes = now - minutelyHours * HOUR_MS;
  return {
    // All minutes of a day are deleted at once.
    minute: row.minute === 0 ? undefined : Math.max(row.minute * 1000, keptMinutes - (keptMinutes % DAY_MS)),
    hour: Math.max(hour, Math.ceil((now - hourlyDays * DAY_MS) / HOUR_MS) * HOUR_MS),
    day: Math.max(day, first - (first % DAY_MS), keptDays),
  };
}
