import { expect } from 'chai';
import { readDocuments } from '../../../support/documents/documents.ts';

const MAX_WORDS = 1500;
const MAX_WORDS_OF_README = 600;

describe('the documents', () => {
  for (const { file, text } of readDocuments()) {
    const most = file === 'README.md' ? MAX_WORDS_OF_README : MAX_WORDS;
    it(`have at most ${most} words: ${file}`, () => {
      expect(text.trim().split(/\s+/).length).to.be.at.most(most);
    });
  }
});
