/** Expressions for the rows of tables, which are alike in those of hours and those of days. */
const USAGE = {
  kind: 'usage',
  isMarker: "feature_name = ''",
  hasCounts: 'true',
  counts: { yes: 'yes', no: 'no', unknown: 'unknown' },
  messages: 'sum(reports)',
  reported: 'reports',
} as const;
const VARIANTS = {
  kind: 'variants',
  isMarker: "feature_name = ''",
  hasCounts: "variant != ''",
  counts: { variants: 'count' },
  messages: "sumIf(count, variant = '')",
  reported: undefined,
} as const;
const IMPACT = {
  kind: 'impact',
  isMarker: "metric_name = ''",
  hasCounts: 'true',
  // Totals wrap at 2^64, as the sums of the blocks do.
  counts: { total: 'toUInt64(total)', observations: 'observations' },
  messages: 'sum(samples)',
  reported: 'samples',
} as const;
const REASONS = {
  kind: 'reasons',
  isMarker: "feature_name = ''",
  hasCounts: "reason != ''",
  counts: { evaluations: 'evaluations' },
  messages: "sumIf(evaluations, reason = '')",
  reported: undefined,
} as const;
const MINUTES = {
  kind: 'minutes',
  isMarker: "feature_name = ''",
  hasCounts: 'true',
  counts: { yes: 'yes', no: 'no', unknown: 'unknown', variants: 'arraySum(variantsMap.count)' },
  messages: 'sum(reports)',
  reported: 'reports',
} as const;
const REFUSALS = {
  kind: 'refusals',
  isMarker: "kind = ''",
  hasCounts: "reason != ''",
  counts: { refusals: 'count' },
  messages: "sumIf(count, reason = '')",
  reported: undefined,
} as const;

/**
 * The tables in which blocks have markers. Markers, retention, the accounting and repairs of days take them from here.
 * Identifiers and expressions of statements come only from these constants.
 */
export const COUNT_TABLES = [
  { table: 'usage_hourly', time: 'hour', ...USAGE },
  { table: 'usage_daily', time: 'day', ...USAGE },
  { table: 'variants_hourly', time: 'hour', ...VARIANTS },
  { table: 'variants_daily', time: 'day', ...VARIANTS },
  { table: 'impact_hourly', time: 'hour', ...IMPACT },
  { table: 'impact_daily', time: 'day', ...IMPACT },
  { table: 'reasons_hourly', time: 'hour', ...REASONS },
  { table: 'reasons_daily', time: 'day', ...REASONS },
  { table: 'refusals_daily', time: 'day', ...REFUSALS },
  { table: 'usage_minutely', time: 'minute', ...MINUTES },
] as const satisfies readonly {
  readonly table: string;
  readonly time: 'minute' | 'hour' | 'day';
  readonly kind: string;
  readonly isMarker: string;
  /** False for markers that count messages only. */
  readonly hasCounts: string;
  /** The counts, by the names that their sums have in blocks. */
  readonly counts: Readonly<Record<string, string>>;
  /** The messages that markers add up. */
  readonly messages: string;
  /** The column with the number of metrics or samples that a row adds up; undefined if there is none. */
  readonly reported: string | undefined;
}[];

export type CountTable = (typeof COUNT_TABLES)[number];

/** The partition of a table that has a day (ISO): minutes are kept for days, so they are stored by day, all others by month. */
export function partitionOf({ time }: Pick<CountTable, 'time'>, day: string): string {
  return day.slice(0, time === 'minute' ? 10 : 7).replaceAll('-', '');
}
