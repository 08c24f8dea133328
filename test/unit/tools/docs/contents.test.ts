import { expect } from 'chai';
import { type Document, proseLinesOf, readDocuments } from '../../../support/documents/documents.ts';

/** An index is a table of contents itself. */
const INDEX = 'README.md';
const MAX_WORDS = 1500;
/** Queries of analysts, and lists that are generated or of which each row is a fact. */
const LONGER = ['docs/use/analysts/cookbook.md', 'docs/operate/settings.md', 'docs/operate/watch/limits.md'];
/** Their headings are short decisions, which nobody reads from a list. */
const DECISIONS = 'docs/develop/decisions/';

describe('the tables of contents', () => {
  const documents = readDocuments().filter(({ file }) => file.startsWith('docs/') && !file.endsWith(INDEX));

  for (const document of documents) {
    const headings = headingsOf(document);
    if (headings.length > 2 && !document.file.startsWith(DECISIONS))
      it(`list all headings, in order: ${document.file}`, () => {
        expect(contentsOf(document)).to.deep.equal(headings);
      });

    if (LONGER.includes(document.file)) continue;
    it(`belong to a page of at most ${MAX_WORDS} words: ${document.file}`, () => {
      expect(document.text.split(/\s+/).length).to.be.at.most(MAX_WORDS);
    });
  }
});

function headingsOf(document: Document): string[] {
  return proseLinesOf(document).flatMap(({ line }) => /^## (.+)$/.exec(line)?.[1] ?? []);
}

/** The words of the list of links to headings before the first heading. That the links are right is checked with all links. */
function contentsOf({ text }: Document): string[] {
  const [introduction = ''] = text.split('\n## ', 1);
  return [...introduction.matchAll(/^- \[(.+)\]\(#[\w-]+\)$/gm)].map(([, title = '']) => title);
}
