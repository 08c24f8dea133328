/** Expressions for the rows of tables, which are alike in those of hours and those of days. */
const USAGE = {
  kind: 'usage',
  isMarker: "feature_name = ''",
  hasCounts: 'true',
  counts: ['yes', 'no', 'unknown'],
  messages: 'sum(reports)',
  reports: 'sum(reports)',
} as const;
const VARIANTS = {
  kind: 'variants',
  isMarker: "feature_name = ''",
  hasCounts: "variant != ''",
  counts: ['count'],
  messages: "sumIf(count, variant = '')",
  reports: undefined,
} as const;
const IMPACT = {
  kind: 'impact',
  isMarker: "metric_name = ''",
  hasCounts: 'true',
  // Totals wrap at 2^64, as the sums of the blocks do.
  counts: ['toUInt64(total)', 'observations'],
  messages: 'sum(samples)',
  reports: 'sum(samples)',
} as const;
const REASONS = {
  kind: 'reasons',
  isMarker: "feature_name = ''",
  hasCounts: "reason != ''",
  counts: ['evaluations'],
  messages: "sumIf(evaluations, reason = '')",
  reports: undefined,
} as const;
const REFUSALS = {
  kind: 'refusals',
  isMarker: "kind = ''",
  hasCounts: "reason != ''",
  counts: ['count'],
  messages: "sumIf(count, reason = '')",
  reports: undefined,
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
] as const satisfies readonly {
  readonly table: string;
  readonly time: 'hour' | 'day';
  readonly kind: string;
  readonly isMarker: string;
  /** False for markers that count messages only. */
  readonly hasCounts: string;
  readonly counts: readonly string[];
  /** The messages that markers add up. */
  readonly messages: string;
  /** How many metrics or samples the rows add up; undefined if they do not say that. */
  readonly reports: string | undefined;
}[];

export type CountTable = (typeof COUNT_TABLES)[number];
