/** The tables that the accounting compares, day by day. */
export const DAY_TABLES = [
  'usage_hourly',
  'usage_daily',
  'variants_hourly',
  'variants_daily',
  'impact_hourly',
  'impact_daily',
  'reasons_hourly',
  'reasons_daily',
  'refusals_daily',
] as const;

export type DayTable = (typeof DAY_TABLES)[number];

/** Expressions of a table. */
type Expressions = {
  readonly table: DayTable;
  readonly time: 'hour' | 'day';
  /** Rows and markers must agree in each of these parts of a day. */
  readonly slot: string;
  readonly isMarker: string;
  /** False for markers that count messages only. */
  readonly hasCounts: string;
  readonly counts: readonly string[];
  readonly messages: string;
  readonly reports: string;
};

const USAGE = {
  isMarker: "feature_name = ''",
  hasCounts: 'true',
  counts: ['yes', 'no', 'unknown'],
  messages: 'sum(reports)',
  reports: 'sum(reports)',
} as const;
const VARIANTS = {
  isMarker: "feature_name = ''",
  hasCounts: "variant != ''",
  counts: ['count'],
  messages: "sumIf(count, variant = '')",
  reports: 'toUInt64(0)',
} as const;
const IMPACT = {
  // Totals wrap at 2^64, as the sums of the blocks do.
  isMarker: "metric_name = ''",
  hasCounts: 'true',
  counts: ['toUInt64(total)', 'observations'],
  messages: 'sum(samples)',
  reports: 'sum(samples)',
} as const;
const REASONS = {
  isMarker: "feature_name = ''",
  hasCounts: "reason != ''",
  counts: ['evaluations'],
  messages: "sumIf(evaluations, reason = '')",
  reports: 'toUInt64(0)',
} as const;
const REFUSALS = {
  isMarker: "kind = ''",
  hasCounts: "reason != ''",
  counts: ['count'],
  messages: "sumIf(count, reason = '')",
  reports: 'toUInt64(0)',
} as const;

const HOURLY = { time: 'hour', slot: "formatDateTime(time, '%H:%i')" } as const;
const DAILY = { time: 'day', slot: "''" } as const;

const TABLES: readonly Expressions[] = [
  { table: 'usage_hourly', ...HOURLY, ...USAGE },
  { table: 'usage_daily', ...DAILY, ...USAGE },
  { table: 'variants_hourly', ...HOURLY, ...VARIANTS },
  { table: 'variants_daily', ...DAILY, ...VARIANTS },
  { table: 'impact_hourly', ...HOURLY, ...IMPACT },
  { table: 'impact_daily', ...DAILY, ...IMPACT },
  { table: 'reasons_hourly', ...HOURLY, ...REASONS },
  { table: 'reasons_daily', ...DAILY, ...REASONS },
  { table: 'refusals_daily', time: 'day', slot: 'reason', ...REFUSALS },
];

/** The two readings of a table. */
export type Readings = { readonly table: DayTable; readonly rows: string; readonly markers: string };

export const READINGS: readonly Readings[] = TABLES.map((one) => ({
  table: one.table,
  rows: rowsOf(one),
  markers: markersOf(one),
}));

/**
 * The sums of the rows of a table, and those of its markers. ClickHouse stores both together. So a reading sees both or
 * neither, and they agree at any time. Each scan of counts is grouped as a projection is.
 */
function rowsOf({ table, slot, time, isMarker, counts, reports, hasCounts }: Expressions): string {
  const key = slot === 'reason' ? ', reason' : '';
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
        [${counts.map((count) => `sum(${count})`).join(', ')}] as sums,
        ${reports} as reported
      from ${table}
      where ${hasCounts}
      group by time, is_marker${key}
    )`;
}

/** The sums of the markers of each partition, in which the number of messages comes last. */
function markersOf({ table, time, isMarker, counts, messages, hasCounts }: Expressions): string {
  return `select
      '${table}' as the_table,
      toDate(${time}) as the_day,
      app_name::String as key,
      toUInt64(0) as open_to,
      true as is_marker,
      [${[...counts.map((count) => `sumIf(${count}, ${hasCounts})`), messages].join(', ')}] as sums,
      toUInt64(0) as reported
    from ${table}
    where ${isMarker}
    group by the_day, key`;
}

/** The sums of the tables that have the most. */
export const MOST_SUMS = Math.max(...TABLES.map(({ counts }) => counts.length));

/** How many sums a table and its markers have. */
export function sumsOf(table: DayTable): number {
  return TABLES.find((one) => one.table === table)?.counts.length ?? 0;
}

/** Whether its rows say how many metrics or samples they add up. */
export function hasReports(table: DayTable): boolean {
  return TABLES.some((one) => one.table === table && one.reports !== 'toUInt64(0)');
}
