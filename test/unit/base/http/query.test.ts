import { parse } from 'node:querystring';
import { expect } from 'chai';
import fc from 'fast-check';
import { readQuery } from '../../../../packages/base/http/requests/query.ts';

describe('readQuery', () => {
  it('lists the values of a name that is given several times', () => {
    expect(readQuery('a=1&b=2&a=&c&a=3')).to.deep.equal({ a: ['1', '', '3'], b: '2', c: '' });
  });

  it('has a parameter with the name of a prototype', () => {
    expect(Object.entries(readQuery('__proto__=1&constructor=2'))).to.deep.equal([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  it('reads what the parser of Node reads', () => {
    const pair = fc.tuple(fc.constantFrom('a', 'b', 'ü', ''), fc.string());
    fc.assert(
      fc.property(fc.array(pair), (pairs) => {
        const query = new URLSearchParams(pairs).toString();
        expect(readQuery(query)).to.deep.equal({ ...parse(query) });
      }),
    );
  });
});
