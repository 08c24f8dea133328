import { type ClickHouse, readRows } from '#core/clickhouse';

const DAY_MS = 24 * 3_600_000;

/** The earliest of the first hours of these shards. See `findFirstHour`. */
export async function findFirstHourOf(
  shards: readonly ClickHouse[],
  after: number,
): Promise<number | undefined> {
  const hours = await Promise.all(shards.map((shard) => findFirstHour(shard, after)));
  const found = hours.flatMap((hour) => hour ?? []);
  return found.length === 0 ? undefined : Math.min(...found);
}

/**
 * The first hour from `after` on that flagmeter counted itself (epoch milliseconds); undefined if it has counted none. Imported
 * hours are before `after`.
 */
async function findFirstHour(db: ClickHouse, after: number): Promise<number | undefined> {
  const nextDay = Math.ceil(after / DAY_MS) * DAY_MS;
  const rows = await readRows<{ hours: string; first_hour: string; days: string; first_day: string }>(
    db,
    `select hours, first_hour, days, first_day
     from (
       select count() as hours, toUnixTimestamp(min(hour)) as first_hour
       from usage_hourly
       where feature_name != ''
         and hour >= toDateTime({after:UInt32}, 'UTC')
     ) as h
     cross join (
       select count() as days, toUnixTimestamp(toDateTime(min(day), 'UTC')) as first_day
       from usage_daily
       where feature_name != ''
         and day >= toDate(toDateTime({nextDay:UInt32}, 'UTC'), 'UTC')
     ) as d`,
    { after: after / 1000, nextDay: nextDay / 1000 },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return earlierOf(
    row.hours === '0' ? undefined : Number(row.first_hour) * 1000,
    row.days === '0' ? undefined : Number(row.first_day) * 1000,
  );
}

/** Days are kept for longer than hours. A day says more only if it is before the day of the first hour. */
function earlierOf(firstHour: number | undefined, firstDay: number | undefined): number | undefined {
  if (firstHour === undefined || firstDay === undefined) return firstHour ?? firstDay;
  return firstDay + DAY_MS <= firstHour ? firstDay : firstHour;
}
