import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ENTRIES } from '../../../../services/console/pages/app/entries.ts';

/** A row of the table of pages: its title, perhaps with a picture, a question and its key. */
const ROW = /^\| (?:\[(.+?)\]\(.+?\)|(.+?)) \| .+ \| `g (\w)` \|$/gm;

describe('docs/use/console.md', () => {
  it('has the pages of the navigation with their keys', () => {
    const rows = [...readFileSync('docs/use/console.md', 'utf8').matchAll(ROW)];
    const documented = rows.map(([, withPicture, title = withPicture, key]) => `${title} ${key}`);
    expect(documented).to.deep.equal(ENTRIES.map(({ title, key }) => `${title} ${key}`));
  });
});

describe('the navigation of the console', () => {
  it('has a path and a key of its own for each page', () => {
    for (const member of ['path', 'key'] as const)
      expect(new Set(ENTRIES.map((entry) => entry[member])).size).to.equal(ENTRIES.length);
  });
});
