import { expect } from 'chai';
import {
  parameterLines,
  parseParameterLines,
} from '../../../../../services/console/pages/flags/strategies/parameters.ts';

describe('the parameters of a strategy as lines', () => {
  const parameters = [
    { name: 'countries', type: 'list', description: 'ISO 3166', required: true },
    { name: 'a:b', type: 'number', description: '', required: false },
  ];

  it('stay the same when they are not edited', () => {
    const text = parameterLines(parameters);
    expect(text).to.equal('countries: list, required\na:b: number');
    expect(parseParameterLines(text, parameters)).to.deep.equal(parameters);
  });

  it('are texts without a type, and blank lines are nothing', () => {
    expect(parseParameterLines('country\n\n  region : list ,required ')).to.deep.equal([
      { name: 'country', type: 'string', description: '', required: false },
      { name: 'region', type: 'list', description: '', required: true },
    ]);
  });
});
