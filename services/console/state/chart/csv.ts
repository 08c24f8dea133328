/** Lines as RFC 4180 describes them, with CRLF at the end of each. */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(fieldOf).join(',')}\r\n`).join('');
}

/**
 * A spreadsheet would run a name that begins like a formula, or has one behind what it takes for the end of a cell, so such names get an
 * apostrophe, as in flagmeter export-usage.
 */
function fieldOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replaceAll(/(^|[;,|"\t])( *[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g, "$1'$2");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
