import { expect } from 'chai';
import { compileQuery } from '#base/schema';

const reader = compileQuery<{ feature?: string[] }>({
  type: 'object',
  properties: {
    feature: {
      type: 'array',
      maxItems: 2,
      uniqueItems: true,
      items: { type: 'string', maxLength: 3 },
      description: 'Features.',
    },
  },
});

describe('a query parameter that may be given several times', () => {
  it('is a list, whether it is given once or several times', () => {
    expect(reader.read({ feature: 'a' })).to.deep.equal({ query: { feature: ['a'] } });
    expect(reader.read({ feature: ['a', 'b'] })).to.deep.equal({ query: { feature: ['a', 'b'] } });
  });

  it('counts as absent if it is empty', () => {
    expect(reader.read({ feature: '' })).to.deep.equal({ query: {} });
    expect(reader.read({ feature: ['', 'b'] })).to.deep.equal({ query: { feature: ['b'] } });
  });

  for (const feature of [['a', 'b', 'c'], ['a', 'a'], 'long'])
    it(`is checked: ${JSON.stringify(feature)}`, () => {
      expect(reader.read({ feature })).to.have.property('problems');
    });
});
