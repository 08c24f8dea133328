import { expect } from 'chai';
import { HASH_FACTOR, separatesNumbers } from '../../../../packages/counting/names/name-hash.ts';

describe('the factor of the hash of names', () => {
  it('separates names that differ only in their number', () => {
    expect(separatesNumbers(HASH_FACTOR)).to.equal(true);
    expect(hashesOf(HASH_FACTOR)).to.have.property('size', 6000);
  });

  it('never gives hundreds of such names the same hash', () => {
    const factor = 801_505_277;
    expect(hashesOf(factor).size).to.be.lessThan(5500);
    expect(separatesNumbers(factor)).to.equal(false);
  });
});

function hashesOf(factor: number): Set<number> {
  const names = Array.from({ length: 6000 }, (_, index) => Buffer.from(`feature-${index}`));
  return new Set(names.map((name) => name.reduce((hash, byte) => Math.imul(hash ^ byte, factor), 0)));
}
