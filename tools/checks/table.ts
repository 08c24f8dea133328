import { readFile, writeFile } from 'node:fs/promises';
import { PARTS } from './parts/parts.ts';

const FILE = 'docs/develop/walls.md';
const BEGIN = '<!-- walls: written by make walls-table from tools/checks/parts -->';
const END = '<!-- end of walls -->';

/** The table in docs/develop/walls.md, generated from the list of parts. */
function renderTable(): string {
  const rows = PARTS.map(({ name, imports, libraries, builtins, holds }) => {
    const others = imports.map((other) => other.replace('packages/', '').replace('services/', 'service '));
    const node = builtins === undefined ? [] : builtins.map((module) => `node:${module}`);
    return `| \`${name}\` | ${[...others, ...libraries, ...node].join(', ') || 'nothing'} | ${holds} |`;
  });
  return [
    '| part | may import | holds |',
    '|---|---|---|',
    ...rows,
    '| `tools`, `test` | everything | what developers run, and the suites |',
  ].join('\n');
}

/** Whether docs/develop/walls.md shows the current table. */
export async function isTableCurrent(): Promise<boolean> {
  const text = await readFile(FILE, 'utf8');
  return text === withTable(text);
}

export async function writeTable(): Promise<void> {
  await writeFile(FILE, withTable(await readFile(FILE, 'utf8')));
}

function withTable(text: string): string {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin)
    throw new Error(`${FILE} lacks the two comments that enclose the table of walls`);
  return `${text.slice(0, begin)}${BEGIN}\n${renderTable()}\n${text.slice(end)}`;
}
