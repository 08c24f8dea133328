import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { documentOf } from './beside-pages.ts';

/** A document of the repository, or a table or queries beside it. */
export type Page = {
  /** Its path in the repository: `docs/use/console.md`. */
  readonly file: string;
  readonly text: string;
  /** Its first heading. */
  readonly title: string;
  /** Its first paragraph, which says for whom and what. */
  readonly summary: string;
};

/** The parts of the site, in the order of their links, with the folder of each. The first one is that of the other documents. */
export const PARTS = [
  { title: 'Start', folder: '' },
  { title: 'Use', folder: 'docs/use/' },
  { title: 'Operate', folder: 'docs/operate/' },
  { title: 'Develop', folder: 'docs/develop/' },
] as const;

export type Part = (typeof PARTS)[number];

/** Folders with documents, beside those at the top. */
const FOLDERS = ['docs', 'examples'];
const IS_PAGE = /\.(?:md|csv|sql)$/;

export async function readPages(root: string): Promise<Page[]> {
  const lists = [
    await readdir(root),
    ...(await Promise.all(
      FOLDERS.map(async (folder) =>
        (await readdir(path.join(root, folder), { recursive: true })).map((name) => path.join(folder, name)),
      ),
    )),
  ];
  const files = lists.flat().filter((file) => IS_PAGE.test(file) && !file.includes('node_modules'));
  return Promise.all(files.sort(byImportance).map((file) => readPage(root, file)));
}

export function partOf({ file }: Pick<Page, 'file'>): Part {
  return PARTS.slice(1).find(({ folder }) => file.startsWith(folder)) ?? PARTS[0];
}

/** The address of a page, below that of the site. */
export function addressOf(file: string): string {
  if (file === 'README.md') return 'index.html';
  return `${file.replace(/\.md$/, '')}.html`;
}

/** The README first, then the index of each folder. */
function byImportance(one: string, other: string): number {
  const place = (file: string): string => file.replace(/README\.md$/, '').replace(/\.md$/, '~');
  return place(one) < place(other) ? -1 : 1;
}

async function readPage(root: string, file: string): Promise<Page> {
  const content = await readFile(path.join(root, file), 'utf8');
  const text = file.endsWith('.md') ? content : documentOf(file, content);
  const [, title = file] = /^# (.+)$/m.exec(text) ?? [];
  const summary = text.split(/\n{2,}/).find((paragraph) => /^\w/.test(paragraph)) ?? '';
  return { file, text, title, summary: plain(summary) };
}

/** The text without marks of Markdown. */
export function plain(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|]|^[#>-]+ /gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
