import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'docs/operate/access.md';
const BEGIN = '<!-- begin of the generated table -->\n\n';
const END = '\n\n<!-- end of the generated table -->';

export type AccessRow = {
  readonly operation: string;
  readonly permission: string;
  readonly where: string;
  /** Whether each caller may call it, in the order of the columns. */
  readonly isAllowed: readonly boolean[];
};

/** The table of all operations and callers, as the document shows it: operations with the same answers share a row. */
export function accessTable(callers: readonly string[], rows: readonly AccessRow[]): string {
  const groups = new Map<string, string[]>();
  for (const { operation, permission, where, isAllowed } of rows) {
    const answers = isAllowed.map((is) => (is ? 'yes' : ''));
    const key = [`\`${permission}\``, where, ...answers].join(' | ');
    groups.set(key, [...(groups.get(key) ?? []), operation]);
  }
  return [
    `| operations | permission | where | ${callers.join(' | ')} |`,
    `|${'---|'.repeat(callers.length + 3)}`,
    ...[...groups].map(([key, operations]) => `| ${operations.join(', ')} | ${key} |`),
  ].join('\n');
}

/** The table in the document. With ACCESS_TABLE=write, the document gets this one first. */
export function documentedAccess(table: string): string {
  const text = readFileSync(FILE, 'utf8');
  const [start, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  if (process.env['ACCESS_TABLE'] !== 'write') return text.slice(start, end);
  writeFileSync(FILE, `${text.slice(0, start)}${table}${text.slice(end)}`);
  return table;
}
