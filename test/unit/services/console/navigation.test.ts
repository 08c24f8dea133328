import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
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

describe('docs/images', () => {
  it('has only pictures that a document shows or links', () => {
    const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.md'),
    );
    const text = ['README.md', ...pages.map((file) => path.join('docs', file))]
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    expect(readdirSync('docs/images').filter((file) => !text.includes(`images/${file}`))).to.deep.equal([]);
  });
});

describe('the navigation of the console', () => {
  it('has a path and a key of its own for each page', () => {
    for (const member of ['path', 'key'] as const)
      expect(new Set(ENTRIES.map((entry) => entry[member])).size).to.equal(ENTRIES.length);
  });
});
