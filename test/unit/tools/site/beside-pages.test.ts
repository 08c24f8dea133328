import { expect } from 'chai';
import fc from 'fast-check';
import { csvOf } from '../../../../tools/docs/csv.ts';
import { documentOf, rowsOf } from '../../../../tools/site/beside-pages.ts';

describe('the files beside pages', () => {
  it('become tables, whose cells show marks of Markdown as they are', () => {
    const csv = csvOf([
      ['name', 'meaning'],
      ['A_B', '`a|b`, * for all'],
    ]);
    expect(documentOf('docs/a.csv', csv)).to.equal(
      [
        '# a.csv',
        '',
        'Table of name, meaning.',
        '',
        '| name | meaning |',
        '| --- | --- |',
        String.raw`| A\_B | ${'`a'}\|${'b`'}, \* for all |`,
        '',
      ].join('\n'),
    );
  });

  it('become queries, each below its question', () => {
    const sql = '-- Cookbook: a\n-- About it.\n\n-- Why?\n-- Beware: of b.\nselect 1\nfrom one;\n';
    expect(documentOf('docs/a.sql', sql)).to.equal(
      '# Cookbook: a\n\nAbout it.\n\n## Why?\n\nBeware: of b.\n\n```sql\nselect 1\nfrom one\n```',
    );
  });

  it('are read as they were written', () => {
    const row = fc.array(fc.string(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (rows) => {
        expect(rowsOf(csvOf(rows))).to.deep.equal(rows);
      }),
    );
  });
});
