import { COUNT_TABLES, type CountTable } from '#core/clickhouse';

/** A table that the accounting compares, day by day. */
export type DayTable = CountTable['table'];

/** The two readings of a table. */
export type Readings = { readonly table: DayTable; readonly rows: string; readonly markers: string };

export const READINGS: readonly Readings[] = COUNT_TABLES.map((one) => ({
  table: one.table,
  rows: rowsOf(one),
  markers: markersOf(one),
}));

/**
 * The sums of the rows of a table, and those of its markers. ClickHouse stores both together. So a reading sees both or
 * neither, and they agree at any time. Each scan of counts is grouped as a projection is.
 */
function rowsOf({ table, kind, time, isMarker, counts, reported, hasCounts }: CountTable): string {
  const key = kind === 'refusals' ? ', reason' : '';
  // Rows and markers must agree in each of these parts of a day.
  const ofDay = time === 'day' ? "''" : "formatDateTime(time, '%H:%i')";
  const slot = kind === 'refusals' ? 'reason' : ofDay;
  return `select
      '${table}' as the_table,
      toDate(time) as the_day,
      ${slot} as slot,
      is_marker,
      sums,
      reported
    from (
      select
        ${time} as time${key},
        ${isMarker} as is_marker,
        [${Object.values(counts).map(sumOf).join(', ')}] as sums,
        ${reported === undefined ? 'toUInt64(0)' : sumOf(reported)} as reported
      from ${table}
      where ${hasCounts}
      group by time, is_marker${key}
    )`;
}

/** The sums of the markers of each partition, in which the number of messages comes last. */
function markersOf({ table, time, isMarker, counts, messages, hasCounts }: CountTable): string {
  return `select
      '${table}' as the_table,
      toDate(${time}) as the_day,
      app_name::String as key,
      toUInt64(0) as open_to,
      true as is_marker,
      [${[...Object.values(counts).map((count) => `sumIf(${count}, ${hasCounts})`), messages].join(', ')}] as sums,
      toUInt64(0) as reported
    from ${table}
    where ${isMarker}
    group by the_day, key`;
}

export function sumOf(count: string): string {
  return `sum(${count})`;
}

/** The sums of the tables that have the most. */
export const MOST_SUMS = Math.max(...COUNT_TABLES.map(({ counts }) => Object.keys(counts).length));

/** The names of the counts of a table and its markers. */
export function countNames(table: DayTable): readonly string[] {
  return Object.keys(COUNT_TABLES.find((one) => one.table === table)?.counts ?? {});
}

/** Whether its rows say how many metrics or samples they add up. */
export function hasReports(table: DayTable): boolean {
  return COUNT_TABLES.some((one) => one.table === table && one.reported !== undefined);
}
