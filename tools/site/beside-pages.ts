import path from 'node:path';

const RECIPE = /^-- (.+)\n((?:-- .*\n)*)((?:select|with)\b[^]*?);$/gm;

/** A question, what to beware of, and its query. */
export type Recipe = { readonly title: string; readonly notes: string; readonly sql: string };

/** A file of queries or a table as Markdown. */
export function documentOf(file: string, content: string): string {
  return file.endsWith('.sql') ? queriesOf(content) : tableOf(path.basename(file), content);
}

/** The first comment is the title and what the file is about. Each query stands below its question. */
function queriesOf(content: string): string {
  const [title = '', subject = ''] = content.replaceAll(/^-- /gm, '').split('\n', 2);
  const sections = recipesOf(content).map(
    ({ title: question, notes, sql }) =>
      `## ${question}\n\n${notes.replaceAll(/^-- /gm, '')}\n\`\`\`sql\n${sql}\n\`\`\``,
  );
  return [`# ${title}`, subject, ...sections].join('\n\n');
}

function tableOf(name: string, content: string): string {
  const [head = [], ...rows] = rowsOf(content);
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(escaped))];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return `# ${name}\n\nTable of ${head.join(', ')}.\n\n${table}\n`;
}

/** Without the marks of Markdown, except those of code. */
function escaped(cell: string): string {
  const parts = cell
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[\\*_<[\]#~]/g, String.raw`\$&`) : part));
  return parts.join('').replaceAll('|', String.raw`\|`);
}

/** Paragraphs of a file: comments with the question first, then the query. */
export function recipesOf(file: string): Recipe[] {
  return Array.from(file.matchAll(RECIPE), ([, title = '', notes = '', sql = '']) => ({ title, notes, sql }));
}

/** The cells of what `csvOf` has written. */
export function rowsOf(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, cell = '', end] of csv.matchAll(/("(?:[^"]|"")*"|[^",\n]*)([,\n])/g)) {
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}
