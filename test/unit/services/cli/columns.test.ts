import { expect } from 'chai';
import { tableOf } from '../../../../services/cli/columns.ts';

describe('a table of the CLI', () => {
  it('has a header and left-aligned columns, without lines and quotes', () => {
    const rows = [
      { id: 'a', 'per minute': 600, revoked: '' },
      { id: 'long', 'per minute': '', revoked: 'now' },
    ];
    expect(tableOf(rows).split('\n')).to.deep.equal([
      'id    per minute  revoked',
      'a     600',
      'long              now',
    ]);
  });

  it('is empty without rows', () => {
    expect(tableOf([])).to.equal('');
  });
});
