import { expect } from 'chai';
import { type Document, proseLinesOf, readDocuments } from '../../support/documents/documents.ts';

/** Folders and pages whose pages must have a table of contents. */
const WITH_CONTENTS = ['docs/operate/'];
const MAX_WORDS = 3000;

describe('the tables of contents', () => {
  const documents = readDocuments().filter(({ file }) =>
    WITH_CONTENTS.some((start) => file.startsWith(start)),
  );

  for (const document of documents) {
    it(`list all headings, in order: ${document.file}`, () => {
      const headings = headingsOf(document);
      if (headings.length > 2) expect(contentsOf(document)).to.deep.equal(headings);
    });

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
