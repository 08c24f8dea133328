import { existsSync } from 'node:fs';
import { expect } from 'chai';
import {
  addressOf,
  callsFirst,
  countNames,
  countOf,
  leftOutOf,
} from '../../../../../services/console/pages/flags/feature/code/places.ts';
import {
  leftOutSentence,
  noPlacesSentence,
  placesSentence,
} from '../../../../../services/console/state/sentences/index.ts';
import type { BranchOfFeature, CodePlace, CodeRepository } from '../../../../../services/console/types.ts';

const SCANNED = {
  branch: 'main',
  commit: '6f1c3f2e4f0c4b8e9a530d8f7f1f2a1165e2d0c4',
  linkTemplate: 'https://github.com/acme/shop/blob/{commit}/{path}#L{line}',
  leftOut: 0,
  committedAt: '2026-11-26T10:12:00.000Z',
  pushedAt: '2026-11-26T10:15:00.000Z',
  pushedBy: 'ci',
};

function aPlace(changes: Partial<CodePlace> = {}): CodePlace {
  return { path: 'src/basket.ts', line: 12, kind: 'call', ...changes };
}

function aBranch(repository: string, places: number): BranchOfFeature {
  const listed = Array.from({ length: places }, (_item, index) => aPlace({ line: index + 1 }));
  return { ...SCANNED, id: 1, repository, places: listed };
}

function scanned(repository: string, leftOut = 0): CodeRepository {
  return { ...SCANNED, id: 1, repository, leftOut, places: 0 };
}

function sumOf(total: number, repositories: BranchOfFeature[]): string {
  return placesSentence(countOf({ featureName: 'basket', total, repositories }));
}

describe('the text about places in code', () => {
  it('counts places and repositories', () => {
    expect(sumOf(1, [aBranch('shop', 1)])).to.equal('1 place in 1 repository');
    expect(sumOf(12, [aBranch('shop', 7), aBranch('pay', 4), aBranch('web', 1)])).to.equal(
      '12 places in 3 repositories',
    );
  });

  it('counts branches of a repository as one', () => {
    expect(sumOf(3, [aBranch('shop', 2), aBranch('shop', 1)])).to.equal('3 places in 1 repository');
  });

  it('says how many of the places are listed', () => {
    expect(sumOf(1204, [aBranch('shop', 600), aBranch('pay', 400)])).to.equal(
      '1,204 places; 1,000 of them, in 2 repositories, are listed',
    );
  });

  it('tells a name that nobody scanned for from one that no repository has', () => {
    expect(noPlacesSentence(countNames([]))).to.equal('No scan was pushed yet.');
    expect(noPlacesSentence(countNames([scanned('shop'), scanned('shop')]))).to.equal(
      'The scanned repository does not name it.',
    );
    expect(noPlacesSentence(countNames([scanned('shop'), scanned('pay')]))).to.equal(
      'The 2 scanned repositories do not name it.',
    );
  });

  it('says how many places scans left out', () => {
    expect(leftOutSentence(leftOutOf([scanned('shop')]))).to.equal('');
    expect(leftOutSentence(leftOutOf([scanned('shop', 1)]))).to.equal(
      'Because there were too many, 1 place of any name was left out.',
    );
    expect(leftOutSentence(leftOutOf([scanned('shop', 1500), scanned('pay', 2)]))).to.equal(
      'Because there were too many, 1,502 places of any name were left out.',
    );
  });

  it('lists calls before mentions, otherwise in their order', () => {
    const places = [
      aPlace({ line: 1, kind: 'mention' }),
      aPlace({ line: 2 }),
      aPlace({ line: 3, kind: 'mention' }),
      aPlace({ line: 4 }),
    ];
    expect(callsFirst(places).map(({ line }) => line)).to.deep.equal([2, 4, 1, 3]);
  });

  it('names a page of the documents that exists', () => {
    expect(existsSync('docs/use/code-references.md')).to.equal(true);
  });
});

describe('the address of a place', () => {
  const address = (place: Partial<CodePlace>, linkTemplate: string | null = SCANNED.linkTemplate) =>
    addressOf(aPlace(place), { ...SCANNED, linkTemplate });

  it('has the commit, the path and the line', () => {
    expect(address({})).to.equal(`https://github.com/acme/shop/blob/${SCANNED.commit}/src/basket.ts#L12`);
    expect(address({}, 'http://git.local/{path}?line={line}&again={line}')).to.equal(
      'http://git.local/src/basket.ts?line=12&again=12',
    );
  });

  it('encodes each segment of the path', () => {
    expect(address({ path: 'a b/ü?#%.ts' }, 'https://git.local/{path}')).to.equal(
      'https://git.local/a%20b/%C3%BC%3F%23%25.ts',
    );
  });

  it('leaves a path as it is that looks like a template or a replacement', () => {
    expect(address({ path: '{line}/$&' }, 'https://git.local/{path}#{line}{other}')).to.equal(
      'https://git.local/%7Bline%7D/%24%26#12{other}',
    );
  });

  it('does not exist without a template, or for anything but the web', () => {
    for (const template of [
      null,
      '',
      'javascript:alert({line})',
      'ftp://git.local/{path}',
      '//git.local/{path}',
    ])
      expect(address({}, template), String(template)).to.equal(undefined);
  });
});
