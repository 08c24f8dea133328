import path from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';
import { type Page, addressOf, plain } from './pages.ts';

/** What stands below one heading, for the search. */
export type Section = {
  readonly anchor: string;
  readonly title: string;
  readonly text: string;
  /** 1 is the title of the page. */
  readonly depth: number;
};

export type SiteOptions = {
  /** The address of the repository's files. */
  readonly repository: string;
  /**
   * A site for any web server, with pictures; or what the package has: small files, without pictures, whose texts stand in their
   * places.
   */
  readonly form: 'site' | 'package';
};

/** A page as HTML. Headings have the anchors that GitHub gives them. */
export function renderPage(
  page: Page,
  files: ReadonlySet<string>,
  { repository, form }: SiteOptions,
): string {
  const slugger = new GithubSlugger();
  const addressFrom = addressesOf(page.file, files, repository);
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slugger.slug(plain(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        return `<a href="${escape(addressFrom(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        if (isForeign(href) || href.includes('/actions/')) return ''; // badges
        return form === 'site'
          ? `<img src="${escape(href)}" alt="${escape(text)}">`
          : `<em>${escape(text)}</em>`;
      },
      table({ header, rows }: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): string =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" tabindex="0"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  return marked.parse(page.text, { async: false });
}

/** Returns a function for the address of a link: that of another page, or of a file in the repository. */
function addressesOf(from: string, files: ReadonlySet<string>, repository: string): (href: string) => string {
  const folder = path.dirname(from);
  return (href) => {
    if (isForeign(href)) return href;
    const [target = '', ...anchor] = href.split('#');
    const suffix = anchor.map((name) => `#${name}`).join('');
    const file = path.join(folder, target);
    if (file.startsWith('..')) return href; // what only GitHub has
    if (files.has(file)) return `${path.relative(folder, addressOf(file))}${suffix}`;
    return target === '' ? suffix : `${repository}/${file}${suffix}`;
  };
}

function isForeign(href: string): boolean {
  return /^[a-z]+:/i.test(href);
}

/** The texts between the headings, without marks of Markdown. */
export function sectionsOf({ text, title }: Pick<Page, 'text' | 'title'>): Section[] {
  const slugger = new GithubSlugger();
  const parts = text.split(/^(#{1,6} .+)$/m);
  const sections: Section[] = [];
  for (let at = 1; at < parts.length; at += 2) {
    const [marks = '', ...words] = (parts[at] ?? '').split(' ');
    const heading = plain(words.join(' '));
    const anchor = slugger.slug(heading);
    sections.push({
      anchor: at === 1 ? '' : anchor,
      title: at === 1 ? title : heading,
      text: plain(parts[at + 1] ?? ''),
      depth: marks.length,
    });
  }
  return sections;
}

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
