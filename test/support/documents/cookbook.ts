import { readFileSync } from 'node:fs';

const FILE = 'docs/use/cookbook.md';
const RECIPE = /^### (.+?)\n(?:(?!^### ).*\n)*?```sql\n([^`]+)```\n\n```text\n([^`]*)```$/gm;
const COMMAND =
  /^curl -u "analyst:\$CLICKHOUSE_PASSWORD" '(http:[^']+)' --data-binary \\\n {2}'([^']+)' > (\S+)$/gm;

export type Recipe = { readonly title: string; readonly sql: string; readonly result: string };

/** One of the commands of the book that download a file. */
export type Export = { readonly url: string; readonly sql: string; readonly file: string };

export function readCookbook(): string {
  return readFileSync(FILE, 'utf8');
}

/** The questions of the book with their SQL and the printed results. */
export function recipesOf(book: string): Recipe[] {
  return Array.from(book.matchAll(RECIPE), ([, title = '', sql = '', result = '']) => ({
    title,
    sql,
    result,
  }));
}

export function exportsOf(book: string): Export[] {
  return Array.from(book.matchAll(COMMAND), ([, url = '', sql = '', file = '']) => ({ url, sql, file }));
}

/** The book with other results, in the order of its recipes. */
export function withResults(book: string, results: readonly string[]): string {
  let index = 0;
  return book.replaceAll(RECIPE, (recipe) => {
    const result = results[index] ?? '';
    index += 1;
    return `${recipe.slice(0, recipe.lastIndexOf('```text\n'))}\`\`\`text\n${result}\`\`\``;
  });
}

/** Whether to write the results into the book instead of comparing them: `make cookbook`. */
export function isToBeWritten(): boolean {
  return process.env['COOKBOOK'] === 'write';
}
