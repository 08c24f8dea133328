import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { type Recipe, recipesOf } from '../site/beside-pages.ts';

const PAGE = 'docs/use/analysts/cookbook.md';
const FOLDER = 'docs/use/analysts/cookbook';
const RESULTS = 'docs/use/analysts/cookbook-results.txt';
const COMMAND =
  /^curl -u "analyst:\$CLICKHOUSE_PASSWORD" '(http:[^']+)' --data-binary \\\n {2}'([^']+)' > (\S+)$/gm;

/** One of the commands of the page that download a file. */
export type Export = { readonly url: string; readonly sql: string; readonly file: string };

/** The files of queries, by name. */
export function readCookbook(): Map<string, string> {
  const names = readdirSync(FOLDER).sort();
  return new Map(names.map((name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')]));
}

export function readRecipes(): Recipe[] {
  return [...readCookbook().values()].flatMap(recipesOf);
}

export function readExports(): Export[] {
  const commands = readFileSync(PAGE, 'utf8').matchAll(COMMAND);
  return Array.from(commands, ([, url = '', sql = '', file = '']) => ({ url, sql, file }));
}

/** The printed results by question. */
export function readResults(): Map<string, string> {
  const results = readFileSync(RESULTS, 'utf8').matchAll(/^(\S.*)\n\n((?:[┌│├└].*\n)+)/gm);
  return new Map(Array.from(results, ([, title = '', result = '']) => [title, result]));
}

/** Writes the results by question, in the order of the files. */
export function writeResults(results: ReadonlyMap<string, string>): void {
  const sections = Array.from(results, ([title, result]) => `${title}\n\n${result}`);
  writeFileSync(RESULTS, sections.join('\n'));
}

/** Whether to write the results instead of comparing them: `make cookbook`. */
export function isToBeWritten(): boolean {
  return process.env['COOKBOOK'] === 'write';
}
