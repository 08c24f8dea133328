import { expect } from 'chai';
import { nearestName } from '#domain';

describe('nearestName', () => {
  it('finds what a slip of the pen meant', () => {
    const known = ['new-basket', 'old-basket', 'search'];
    expect(nearestName('new-baskte', known)).to.equal('new-basket');
    expect(nearestName('New-Basket', known)).to.equal('new-basket');
    expect(nearestName('serach', known)).to.equal('search');
  });

  it('finds nothing where nothing is near', () => {
    expect(nearestName('payments', ['new-basket', 'search'])).to.equal(undefined);
    expect(nearestName('x', [])).to.equal(undefined);
    expect(nearestName('a'.repeat(200), ['a'.repeat(200)])).to.equal(undefined);
  });

  it('prefers fewer edits, and the first of equals', () => {
    expect(nearestName('flag-a', ['flag-bb', 'flag-b', 'flag-c'])).to.equal('flag-b');
  });
});
