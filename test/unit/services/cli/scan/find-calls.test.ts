import { expect } from 'chai';
import fc from 'fast-check';
import { findCalls } from '../../../../../services/cli/commands/scan/search/find-calls.ts';
import { CALLS_BY_IDENTIFIER, CALLS_BY_STRING } from './call-examples.ts';

const NO_NAMES: readonly (readonly [string, string])[] = [
  ['a variable', 'isEnabled(name)'],
  ['another function', `log('new-basket')`],
  ['the default value of a call', `client.getStringValue(FLAG, 'blue')`],
  ['the default value of a call in Go', `client.StringValue(ctx, flag, "blue", evalCtx)`],
  ['a field of a log in Go', `zap.String(key, "blue")`],
  ['a template of JavaScript', 'isEnabled(`new-${page}`)'],
  ['a variable in PHP', `isEnabled("new-$page")`],
  ['a variable in Ruby', `enabled?("new-#{page}")`],
  ['a format of Python', `is_enabled("new-{}".format(page))`],
  ['a format with %', `is_enabled("new-%s" % page)`],
  ['a sum', `isEnabled('new-' +\n  page)`],
  ['a sum in PHP', `isEnabled('new-' . $page)`],
  ['a string that does not end in its line', `isEnabled('new\n')`],
  ['a string that is longer than a name', `isEnabled('${'a'.repeat(256)}')`],
];

describe('findCalls', () => {
  const namesOf = (text: string): string[] => findCalls('a.ts', text).map(({ name }) => name);

  for (const [title, text] of CALLS_BY_STRING) {
    it(`finds the name in a call of ${title}`, () => {
      expect(namesOf(text)).to.deep.equal(['new-basket']);
    });
  }

  for (const [title, text] of [...NO_NAMES, ...CALLS_BY_IDENTIFIER]) {
    it(`finds no name in ${title}`, () => {
      expect(namesOf(text)).to.deep.equal([]);
    });
  }

  it('finds all calls of a text, each name once a line, whatever quotes stand before them', () => {
    const text = `// don't "\nf(isEnabled('a'), isEnabled('b'), isEnabled('a'));\n\nuseFlag("new basket") // it's\n`;
    expect(findCalls('src/a.ts', text)).to.deep.equal([
      ...['a', 'b'].map((name) => ({
        name,
        path: 'src/a.ts',
        line: 2,
        column: name === 'a' ? 14 : 30,
        kind: 'call',
        text: `f(isEnabled('a'), isEnabled('b'), isEnabled('a'));`,
      })),
      {
        name: 'new basket',
        path: 'src/a.ts',
        line: 4,
        column: 10,
        kind: 'call',
        text: `useFlag("new basket") // it's`,
      },
    ]);
  });

  it('finds a call of any name behind any text in the same file', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.~ -]{1,100}$/);
    fc.assert(
      fc.property(name, fc.string(), (one, noise) => {
        expect(namesOf(`${noise}\nisEnabled("${one}")`)).to.include(one);
      }),
    );
  });
});
