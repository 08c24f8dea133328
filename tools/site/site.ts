import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './browser/search-options.ts';
import { PARTS, type Page, addressOf, partOf, readPages } from './pages.ts';
import { type SiteOptions, escape, renderPage, sectionsOf } from './render.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PICTURES = 'docs/images';

/**
 * Writes the documents as pages with a search, which need no server: one page for each document, `llms.txt`, a style and a script. No
 * page loads anything from elsewhere. For the package all files are `.gz`, which browsers take.
 */
export async function buildSite(folder: string, { form }: Pick<SiteOptions, 'form'>): Promise<void> {
  const { version, homepage } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly homepage: string;
  };
  const repository = `${homepage.replace(/#.*$/, '')}/blob/v${version}`;
  const pages = await readPages(ROOT);
  const files = new Set(pages.map(({ file }) => file));
  const written = new Map<string, string>([
    ['llms.txt', listForAgents(pages)],
    ['search.json', JSON.stringify(indexOf(pages))],
    ['site.css', await readFile(path.join(import.meta.dirname, 'browser/site.css'), 'utf8')],
    ['search.js', await bundleSearch()],
  ]);
  for (const page of pages)
    written.set(
      addressOf(page.file),
      frame(page, { pages, version, html: renderPage(page, files, { form, repository }) }),
    );
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of written) await write(path.join(folder, name), text, form);
  if (form === 'site') await cp(path.join(ROOT, PICTURES), path.join(folder, PICTURES), { recursive: true });
}

async function write(file: string, text: string, form: SiteOptions['form']): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  if (form === 'site') await writeFile(file, text);
  else await writeFile(`${file}.gz`, gzipSync(text, { level: 9 }));
}

type Frame = { readonly pages: readonly Page[]; readonly version: string; readonly html: string };

function frame(page: Page, { pages, version, html }: Frame): string {
  const up = '../'.repeat(page.file.split('/').length - 1);
  const links = PARTS.map(({ title, folder }) => {
    const items = pages
      .filter((other) => partOf(other).folder === folder && other.file.endsWith('.md'))
      .map(({ file, title: name }) => {
        const isCurrent = file === page.file;
        const link = `<a href="${up}${addressOf(file)}"${isCurrent ? ' aria-current="page"' : ''}>${escape(name)}</a>`;
        return `<li>${link}${isCurrent ? contentsOf(page) : ''}</li>`;
      });
    return `<h2>${title}</h2><ul>${items.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escape(page.summary)}">
<title>${escape(page.title)} · flagmeter</title>
<link rel="stylesheet" href="${up}site.css">
<script type="module" src="${up}search.js" data-root="${up}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a href="${up}index.html">flagmeter ${escape(version)}</a>
<form role="search"><input type="search" name="q" placeholder="Search" aria-label="Search the documents" autocomplete="off"></form>
<div id="results" role="status"></div>
</header>
<nav aria-label="Documents">${links.join('\n')}</nav>
<main id="content">
${html}
</main>
</body>
</html>
`;
}

/** Links to the headings of a page, if it has several. */
function contentsOf(page: Page): string {
  const headings = sectionsOf(page).filter(({ depth }) => depth === 2);
  if (headings.length < 3) return '';
  const items = headings.map(({ anchor, title }) => `<li><a href="#${anchor}">${escape(title)}</a></li>`);
  return `<ul>${items.join('')}</ul>`;
}

/** The search index, by sections. */
function indexOf(pages: readonly Page[]): MiniSearch {
  const index = new MiniSearch(SEARCH_OPTIONS);
  for (const page of pages)
    for (const { anchor, title, text } of sectionsOf(page))
      index.add({ id: `${addressOf(page.file)}#${anchor}`, title, page: page.title, text });
  return index;
}

async function bundleSearch(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(import.meta.dirname, 'browser/search.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

/** https://llmstxt.org: what there is, for programs that read. */
function listForAgents(pages: readonly Page[]): string {
  const [readme] = pages;
  const parts = PARTS.map(({ title, folder }) => {
    const items = pages
      .filter((page) => partOf(page).folder === folder)
      .map(({ file, title: name, summary }) => `- [${name}](${addressOf(file)}): ${summary}`);
    return `## ${title}\n\n${items.join('\n')}`;
  });
  return `# flagmeter\n\n> ${readme?.summary ?? ''}\n\n${parts.join('\n\n')}\n`;
}
