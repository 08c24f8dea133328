import { expect } from 'chai';
import { readDocuments } from '../../../support/documents/documents.ts';

const MAX_WORDS = 1500;
const MAX_WORDS_OF_README = 600;
/** Lists that are generated or of which each row is a fact. */
const LONGER = [
  'ARCHITECTURE.md',
  'docs/operate/watch/limits.md',
];

describe('the documents', () => {
  for (const { file, text } of readDocuments().filter((document) => !LONGER.includes(document.file))) {
    const most = file === 'README.md' ? MAX_WORDS_OF_README : MAX_WORDS;
    it(`have at most ${most} words: ${file}`, () => {
      expect(text.trim().split(/\s+/).length).to.be.at.most(most);
    });
  }
});
