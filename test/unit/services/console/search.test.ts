import { expect } from 'chai';
import { choicesWith, nextChoice } from '../../../../services/console/pages/app/palette/choices.ts';
import { hasWords, searchable, wordsOf } from '../../../../services/console/state/search.ts';

describe('a search', () => {
  const text = searchable(['new-basket', null, 'Checkout team', 'team:checkout']);
  for (const [search, isFound] of [
    ['', true],
    ['   ', true],
    ['  BASKET ', true],
    ['team basket', true],
    ['checkout\tnew', true],
    ['basket old', false],
    ['basketcheckout', false],
    ['null', false],
  ] as const)
    it(`${isFound ? 'finds' : 'does not find'} the flag of a team by "${search}"`, () => {
      expect(hasWords(text, wordsOf(search))).to.equal(isFound);
    });
});

describe('the palette', () => {
  const run = (): void => undefined;
  const choices = ['Events', 'Relays'].map((title) => ({ kind: 'Page', title, run }));

  it('finds pages by their kind and title, and all without a text', () => {
    const found = (search: string) => choicesWith(choices, search).map(({ title }) => title);
    expect(found('')).to.deep.equal(['Events', 'Relays']);
    expect(found('page rel')).to.deep.equal(['Relays']);
    expect(found('flag')).to.deep.equal([]);
  });

  it('goes round at both ends', () => {
    expect([
      nextChoice(0, -1, 3),
      nextChoice(2, 1, 3),
      nextChoice(1, 1, 3),
      nextChoice(0, 1, 0),
    ]).to.deep.equal([2, 0, 2, 0]);
  });
});
