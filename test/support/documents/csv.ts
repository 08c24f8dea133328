import { readFileSync, writeFileSync } from 'node:fs';

/** Rows as comma-separated values, which GitHub shows as a table. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\n`).join('');
}

function cellOf(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The file beside the documents. If the variable says so, it gets this content first. */
export function documented(
  file: string,
  { variable, content }: { variable: string; content: string },
): string {
  if (process.env[variable] === 'write') writeFileSync(file, content);
  return readFileSync(file, 'utf8');
}
