/** An error that a system table of ClickHouse shows, without the stack trace of the server behind it. */
export function withoutStackTrace(error: string): string {
  return error.replace(/,? Stack trace \(.*/s, '');
}
