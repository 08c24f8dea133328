/** Unleash keeps each hour for about two days, and sums of closed days for longer (enterprise only, 91 days by default). */
export type Source = 'hours' | 'days';

/** The times from which Unleash's rows are imported, epoch milliseconds, half-open. */
export type HistoryRange = {
  /** Flagmeter keeps no older days. */
  readonly oldest: number;
  /** Rows before this time are in an earlier import. */
  readonly from: number;
  readonly before: number;
};

/** Identifiers and expressions for queries on `m`. The parameters $1 to $3 are oldest, from and before. */
export type SourceTable = {
  readonly source: Source;
  readonly rows: string;
  readonly variants: string;
  /** The last column of the primary key. */
  readonly key: string;
  /** When a row begins. */
  readonly at: string;
  /** Whether a row reaches beyond the end of the range. */
  readonly isLater: string;
};

const START_OF_DAY = "(m.date::timestamp at time zone 'UTC')";

export const SOURCE_TABLES: Readonly<Record<Source, SourceTable>> = {
  hours: {
    source: 'hours',
    rows: 'client_metrics_env',
    variants: 'client_metrics_env_variants',
    key: 'timestamp',
    at: 'm.timestamp',
    isLater: 'm.timestamp >= $3::timestamptz',
  },
  days: {
    source: 'days',
    rows: 'client_metrics_env_daily',
    variants: 'client_metrics_env_variants_daily',
    key: 'date',
    at: START_OF_DAY,
    isLater: `${START_OF_DAY} > $3::timestamptz - interval '1 day'`,
  },
};

export const SOURCES = [SOURCE_TABLES.hours, SOURCE_TABLES.days] as const;

/** The parameters $1 to $3. */
export function paramsOf({ oldest, from, before }: HistoryRange): Date[] {
  return [new Date(oldest), new Date(from), new Date(before)];
}

/** The day (UTC) of a row. */
export function dayOfRow({ at }: SourceTable): string {
  return `(${at} at time zone 'UTC')::date`;
}
