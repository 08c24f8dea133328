import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readMigration } from '#core/clickhouse';

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

/** The text of docs/use/dictionary.md. Columns that several views share are explained once. */
export function dictionaryOf(views: readonly DictionaryView[]): string {
  const shared = sharedColumns(views);
  const list = [...shared.values()].sort((a, b) => a.name.localeCompare(b.name)).map(lineOf);
  return [HEAD, list.join('\n'), ...views.map((view) => sectionOf(view, shared))].join('\n\n') + '\n';
}

const HEAD = `# Data dictionary

For analysts: every view and its columns. \`make dictionary\` writes this page from the migrations of ClickHouse. The glossary of
[ARCHITECTURE.md](../../ARCHITECTURE.md#glossary) explains the terms.

These columns mean the same in each view that lists them by name only:`;

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

/** For each name that several views use in one meaning, the column with the most frequent meaning. */
function sharedColumns(views: readonly DictionaryView[]): Map<string, DictionaryColumn> {
  const uses = new Map<string, { readonly column: DictionaryColumn; count: number }>();
  for (const column of views.flatMap(({ columns }) => columns)) {
    const use = uses.get(lineOf(column)) ?? { column, count: 0 };
    uses.set(lineOf(column), { column, count: use.count + 1 });
  }
  const frequent = [...uses.values()].filter(({ count }) => count > 1).sort((a, b) => a.count - b.count);
  return new Map(frequent.map(({ column }) => [column.name, column]));
}

function sectionOf(
  { name, comment, columns }: DictionaryView,
  shared: ReadonlyMap<string, DictionaryColumn>,
): string {
  const isShared = (column: DictionaryColumn) => {
    const other = shared.get(column.name);
    return other !== undefined && lineOf(other) === lineOf(column);
  };
  const names = columns.filter(isShared).map((column) => `\`${column.name}\``);
  const own = columns.filter((column) => !isShared(column)).map(lineOf);
  const summary = names.length === 0 ? [] : [`- ${names.join(', ')}`];
  return [`**\`${name}\`**: ${comment}.`, '', ...summary, ...own].join('\n');
}

function lineOf({ name, type, comment }: DictionaryColumn): string {
  return `- \`${name}\` ${type}: ${comment}`;
}

function unquote(text: string): string {
  return text.replaceAll("''", "'");
}
