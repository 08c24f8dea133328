import { expect } from 'chai';
import fc from 'fast-check';
import { createSearch } from '../../../../../services/cli/commands/scan/search/find-places.ts';
import type { CodePlace } from '../../../../../services/cli/commands/scan/search/place.ts';
import { CALLS_BY_IDENTIFIER, CALLS_BY_STRING } from './call-examples.ts';

const MENTIONS: readonly (readonly [string, string])[] = [
  ['a constant', `export const NEW_BASKET = 'new-basket';`],
  ['a key of YAML', 'new-basket: true'],
  ['prose', 'The basket is behind new-basket.'],
  ['another function', `log('new-basket')`],
  ['a longer function', `reportIsEnabled('new-basket')`],
  ['a later argument', `isEnabled(name, 'new' + "basket", 'x'); track('new-basket')`],
  ['a string that goes on', `isEnabled('new-basket of ' + name)`],
  ['a conversion in Go', `String("new-basket")`],
  ['a field of a log in Go', `zap.String(key, "new-basket")`],
  ['the default value of a call', `client.getStringValue(FLAG, 'new-basket')`],
  ['a component', `<Toggle label="new-basket" />`],
];

const NOTHING: readonly (readonly [string, string])[] = [
  ['a longer name', `isEnabled('new-basket-2')`],
  ['the end of a name', `isEnabled('my-new-basket')`],
  ['another case', `isEnabled('New-Basket')`],
];

describe('findPlaces', () => {
  const { findPlaces } = createSearch(['new-basket', 'new_basket', 'checkout']);
  const kindsOf = (text: string): string[] => findPlaces('a.ts', text).map(({ kind }) => kind);

  for (const [title, text] of [...CALLS_BY_STRING, ...CALLS_BY_IDENTIFIER]) {
    it(`finds a call of ${title}`, () => {
      expect(kindsOf(text)).to.deep.equal(['call']);
    });
  }

  for (const [title, text] of MENTIONS) {
    it(`finds a mention in ${title}`, () => {
      expect(kindsOf(text)).to.deep.equal(['mention']);
    });
  }

  for (const [title, text] of NOTHING) {
    it(`finds nothing in ${title}`, () => {
      expect(kindsOf(text)).to.deep.equal([]);
    });
  }

  it('finds a name that is an ordinary word only in quotes', () => {
    expect(kindsOf('checkout(basket); // checkout')).to.deep.equal([]);
    expect(kindsOf(`const FLAG = 'checkout';`)).to.deep.equal(['mention']);
    expect(kindsOf(`isEnabled('checkout')`)).to.deep.equal(['call']);
  });

  it('counts a line once for each name, as a call if one of its places is', () => {
    const text = `// new-basket\n/* new-basket */ isEnabled('new-basket'); // new-basket, new_basket`;
    const places = findPlaces('src/a.ts', text);
    expect(places.map(({ name, line, column, kind }) => [name, line, column, kind])).to.deep.equal([
      ['new-basket', 1, 4, 'mention'],
      ['new-basket', 2, 29, 'call'],
      ['new_basket', 2, 58, 'mention'],
    ]);
    expect(places[0]).to.deep.include({ path: 'src/a.ts', text: '// new-basket' });
  });

  it('shows a part of a long line', () => {
    const [place] = findPlaces('a.js', `${'x '.repeat(100_000)}new-basket${' y'.repeat(100_000)}`);
    expect(place?.text).to.include('new-basket').and.to.have.length.below(200);
  });

  it('finds names with dots, spaces and letters of any alphabet, and says which it cannot find', () => {
    const names = ['checkout.new basket', 'größe', '新しいカゴ', 'a/b:c', '::'];
    const search = createSearch(names);
    const text = names.map((name) => `isEnabled('${name}')`).join('\n');
    expect(search.findPlaces('a.ts', text).map(({ name, kind }) => `${kind} ${name}`)).to.have.members(
      names.slice(0, 4).map((name) => `call ${name}`),
    );
    expect(search.unsearchable).to.deep.equal(['::']);
  });

  it('finds each name in quotes, whatever surrounds it', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.~-]{1,100}$/).filter((one) => /[A-Za-z0-9_~-]/.test(one));
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), fc.string(), (names, noise) => {
        const { findPlaces: find } = createSearch(names);
        const text = names.map((one) => `${noise.replaceAll('\n', ' ')}'${one}'`).join('\n');
        const found = new Set(find('a', text).map((place: CodePlace) => `${place.line} ${place.name}`));
        for (const [index, one] of names.entries()) expect(found.has(`${index + 1} ${one}`)).to.equal(true);
      }),
    );
  });
});
