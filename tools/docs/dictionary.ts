import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readMigration } from '#core/clickhouse';
import { csvOf } from './csv.ts';

const MIGRATIONS = path.resolve(import.meta.dirname, '../../infra/migrations/clickhouse');
export type DictionaryColumn = { readonly name: string; readonly type: string; readonly comment: string };
export type DictionaryView = {
  readonly name: string;
  readonly comment: string;
  readonly columns: readonly DictionaryColumn[];
  /** Whether it is read like a function, with arguments. */
  readonly hasParameters: boolean;
};

/** The views for analysts by name, as the migrations create them. */
export async function readViews(): Promise<DictionaryView[]> {
  const views = new Map<string, DictionaryView>();
  for (const file of (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()) {
    for (const view of parseViews(await readMigration(MIGRATIONS, file))) views.set(view.name, view);
  }
  return [...views.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** The text of docs/use/analysts/dictionary.md: what each view is about. */
export function dictionaryOf(views: readonly DictionaryView[]): string {
  return `${HEAD}\n\n${views.map(entryOf).join('\n')}\n`;
}

/** The content of docs/use/analysts/dictionary.csv: what each column means. */
export function columnsOf(views: readonly DictionaryView[]): string {
  const rows = views.flatMap((view) =>
    view.columns.map(({ name, type, comment }) => [view.name, name, type, comment]),
  );
  return csvOf([['view', 'column', 'type', 'meaning'], ...rows]);
}

const HEAD = `# Data dictionary

Every view for analysts. [dictionary.csv](dictionary.csv) has the name, type and meaning of each column. \`make dictionary\` writes both from
the migrations of ClickHouse.`;

function parseViews(sql: string): DictionaryView[] {
  const statements = sql.matchAll(
    /^create (?:or replace )?view (?:if not exists )?(\w+) \{on_cluster\}\n\(\n(.*?)\n\)\n(.*?)\ncomment '((?:[^']|'')*)';$/gms,
  );
  return Array.from(statements, ([, name = '', columns = '', query = '', comment = '']) => ({
    name,
    comment: unquote(comment),
    columns: columns.split('\n').map(parseColumn),
    hasParameters: PARAMETER.test(query),
  }));
}

/** `{feature:String}` */
const PARAMETER = /\{\w+:\w/;

function parseColumn(line: string): DictionaryColumn {
  const [, name, type, comment] = /^ {4}(\w+) (.+?) comment '((?:[^']|'')*)',?$/.exec(line) ?? [];
  if (name === undefined || type === undefined || comment === undefined) {
    throw new Error(`not a column with a comment: ${line}`);
  }
  return { name, type, comment: unquote(comment) };
}

function entryOf({ name, comment }: DictionaryView): string {
  return `- \`${name}\`: ${comment}`;
}

function unquote(text: string): string {
  return text.replaceAll("''", "'");
}
