import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const LISTS = new URL('../../../../tools/mutants/modules.mjs', import.meta.url).href;

// Stryker skips a file that does not exist without a word.
describe('modules that mutants change', () => {
  it('exist', async () => {
    const lists = (await import(LISTS)) as Readonly<Record<string, readonly string[]>>; // has no types
    const listed = Object.values(lists).flat();
    expect(listed.length).to.be.greaterThan(50);
    expect(listed.filter((file) => !existsSync(file))).to.deep.equal([]);
  });

  it('exist for each row of the results', () => {
    const [, ...rows] = readFileSync('docs/develop/mutants.csv', 'utf8').trimEnd().split('\n');
    const files = rows.map((row) => row.replace(/,.*/, ''));
    expect(files.filter((file) => !existsSync(file))).to.deep.equal([]);
  });
});
