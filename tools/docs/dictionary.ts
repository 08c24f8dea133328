import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readMigration } from '#core/clickhouse';

const MIGRATIONS = path.resolve(import.meta.dirname, '../../infra/migrations/clickhouse');
const BEGIN = '<!-- data dictionary: written by `make dictionary` -->';
const END = '<!-- end of the data dictionary -->';

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

/** The document with a newly generated dictionary. */
export function withDictionary(document: string, views: readonly DictionaryView[]): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`the document lacks the lines that enclose the dictionary: ${BEGIN} ... ${END}`);
  const body = views.map(sectionOf).join('\n\n');
  return `${document.slice(0, begin)}${BEGIN}\n\n${body}\n\n${document.slice(end)}`;
}

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

function sectionOf({ name, comment, columns }: DictionaryView): string {
  const rows = columns.map(
    ({ name: column, type, comment: meaning }) => `| \`${column}\` | ${type} | ${meaning} |`,
  );
  return [`**\`${name}\`**: ${comment}.`, '', '| column | type | meaning |', '|---|---|---|', ...rows].join(
    '\n',
  );
}

function unquote(text: string): string {
  return text.replaceAll("''", "'");
}
