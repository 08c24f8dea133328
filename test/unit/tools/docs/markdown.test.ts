import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type Document, proseLinesOf, readDocuments } from '../../../support/documents/documents.ts';
import { filesIn, textOf } from '../../../support/documents/sources.ts';

describe('the documents', () => {
  for (const document of readDocuments()) {
    it(`have well-formed tables: ${document.file}`, () => {
      expect(brokenTables(document)).to.deep.equal([]);
    });

    it(`link to existing files and headings: ${document.file}`, () => {
      expect(brokenLinks(document)).to.deep.equal([]);
    });
  }

  it('give each decision its own number', () => {
    const decisions = readDocuments().filter(({ file }) => file.startsWith('docs/develop/decisions/'));
    const numbers = decisions.flatMap(({ text }) =>
      Array.from(text.matchAll(/^## (\d+)\. /gm), ([, number]) => number),
    );
    expect(numbers.length).to.be.greaterThan(100);
    expect(numbers.filter((number, at) => numbers.indexOf(number) < at)).to.deep.equal([]);
  });

  it('have the headings that comments cite', () => {
    const sources = textOf(filesIn('packages', 'services', 'tools', 'infra', 'test'));
    const cited = new Set(sources.match(/\bdocs\/[\w/-]+\.md#[\w-]+/g));
    expect([...cited].filter((link) => !isHeading(link))).to.deep.equal([]);
  });
});

function isHeading(link: string): boolean {
  const [file = '', anchor = ''] = link.split('#', 2);
  return existsSync(file) && anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
}

/** First lines of tables without a header, or with rows of different lengths. A blank line splits a table in two. */
function brokenTables(document: Document): string[] {
  return tablesOf(document).flatMap(({ number, rows }) => {
    const isRuled = /^\|[-:| ]+\|$/.test(rows[1] ?? '');
    return isRuled && new Set(rows.map(countCells)).size === 1 ? [] : [`line ${number}: ${rows[0]}`];
  });
}

type Table = { readonly number: number; readonly rows: string[] };

function tablesOf(document: Document): Table[] {
  const tables: Table[] = [];
  let table: Table | undefined;
  for (const { line, number } of proseLinesOf(document)) {
    if (!line.startsWith('|')) table = undefined;
    else if (table !== undefined) table.rows.push(line);
    else tables.push((table = { number, rows: [line] }));
  }
  return tables;
}

function countCells(row: string): number {
  return row.replaceAll(String.raw`\|`, '').split('|').length;
}

function brokenLinks({ file, text }: Document): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    // Relative to the repository on GitHub: the badge of CI.
    if (/^https?:/.test(link) || link.startsWith('../../actions/')) return false;
    const [target = '', anchor] = link.split('#', 2);
    const linked = target === '' ? file : path.join(path.dirname(file), target);
    if (!existsSync(linked)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(linked, 'utf8')).includes(anchor);
  });
}

/** Anchors of headings, as GitHub makes them. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
