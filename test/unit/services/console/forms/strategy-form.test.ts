import { expect } from 'chai';
import fc from 'fast-check';
import { problemOf } from '../../../../../services/console/api/requests/problem.ts';
import {
  type Constraint,
  textOfValues,
  withOperator,
  withText,
} from '../../../../../services/console/state/strategies/constraint.ts';
import { equalWeights } from '../../../../../services/console/pages/flags/feature/variants/variant-weights.ts';

const COUNTRY: Constraint = { contextName: 'country', operator: 'IN', values: ['DE', 'FR'] };

describe('a constraint in a form', () => {
  it('has one value a line, without empty lines', () => {
    expect(textOfValues(COUNTRY)).to.equal('DE\nFR');
    expect(withText(COUNTRY, 'DE\n\n  \nIT, south\n').values).to.deep.equal(['DE', 'IT, south']);
  });

  it('keeps its first value when another operator compares with one', () => {
    expect(withOperator({ ...COUNTRY, inverted: true }, 'NUM_GT')).to.deep.equal({
      contextName: 'country',
      operator: 'NUM_GT',
      value: 'DE',
      inverted: true,
    });
    const back = withOperator({ contextName: 'age', operator: 'NUM_GT', value: '18' }, 'IN');
    expect(back).to.deep.equal({ contextName: 'age', operator: 'IN', values: ['18'] });
  });

  it('loses options that another operator does not have', () => {
    const text: Constraint = { ...COUNTRY, operator: 'STR_CONTAINS', caseInsensitive: true, inverted: true };
    expect(withOperator(text, 'IN')).to.deep.equal({ ...COUNTRY, inverted: true });
    expect(withOperator(text, 'REGEX')).to.deep.equal({
      contextName: 'country',
      operator: 'REGEX',
      value: 'DE',
    });
  });
});

describe('equalWeights', () => {
  it('adds up to 1000 for any number of variants, and differs by 1 at most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), (count) => {
        const variant = { name: 'a', weight: 0, weightType: 'variable', stickiness: 'default' } as const;
        const weights = equalWeights(Array.from({ length: count }, () => variant)).map(
          ({ weight }) => weight,
        );
        expect(weights.reduce((sum, weight) => sum + weight, 0)).to.equal(1000);
        expect(Math.max(...weights) - Math.min(...weights)).to.be.at.most(1);
      }),
    );
  });
});

describe('a problem with details', () => {
  it('says which member is wrong, counted from 1', () => {
    const details = [
      { path: '/constraints/0/value', message: 'must be a number' },
      { message: 'is too long' },
    ];
    const { message, advice, details: shown } = problemOf(400, { message: 'It is not valid.', details });
    expect([message, advice]).to.deep.equal(['It is not valid.', '']);
    expect(shown).to.deep.equal(['constraints 1 value must be a number', 'is too long']);
  });
});
