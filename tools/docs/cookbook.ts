import { readFileSync, writeFileSync } from 'node:fs';

const BOOK = 'docs/use/analysts/cookbook.md';
const RESULTS = 'docs/use/analysts/cookbook-results.txt';
const RECIPE = /^### (.+?)\n(?:(?!^### ).*\n)*?```sql\n([^`]+)```$/gm;
const COMMAND =
  /^curl -u "analyst:\$CLICKHOUSE_PASSWORD" '(http:[^']+)' --data-binary \\\n {2}'([^']+)' > (\S+)$/gm;

export type Recipe = { readonly title: string; readonly sql: string };

/** One of the commands of the book that download a file. */
export type Export = { readonly url: string; readonly sql: string; readonly file: string };

export function readCookbook(): string {
  return readFileSync(BOOK, 'utf8');
}

/** The questions of the book with their SQL. */
export function recipesOf(book: string): Recipe[] {
  return Array.from(book.matchAll(RECIPE), ([, title = '', sql = '']) => ({ title, sql }));
}

export function exportsOf(book: string): Export[] {
  return Array.from(book.matchAll(COMMAND), ([, url = '', sql = '', file = '']) => ({ url, sql, file }));
}

/** The printed results by question. */
export function readResults(): Map<string, string> {
  const results = readFileSync(RESULTS, 'utf8').matchAll(/^(\S.*)\n\n((?:[┌│├└].*\n)+)/gm);
  return new Map(Array.from(results, ([, title = '', result = '']) => [title, result]));
}

/** Writes the results by question, in the order of the book. */
export function writeResults(results: ReadonlyMap<string, string>): void {
  const sections = Array.from(results, ([title, result]) => `${title}\n\n${result}`);
  writeFileSync(RESULTS, sections.join('\n'));
}

/** Whether to write the results instead of comparing them: `make cookbook`. */
export function isToBeWritten(): boolean {
  return process.env['COOKBOOK'] === 'write';
}
