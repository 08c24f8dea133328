/** A column as text, as JSON has times. */
export function isoTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Whether a column has a time of the future, which a clock that was ahead has written: then nobody knows when that was. Clocks of two
 * servers may differ by a minute.
 */
export function isAhead(column: string): string {
  return `${column} > now() + interval '1 minute'`;
}
