import { expect } from 'chai';
import { HASH_FACTOR, separatesNumbers } from '../../../../../packages/core/counting/names/name-hash.ts';

describe('the factor of the hash of names', () => {
  it('separates names that differ only in four digits', () => {
    expect(separatesNumbers(HASH_FACTOR)).to.equal(true);
    expect(hashesOf(HASH_FACTOR)).to.have.property('size', 9000);
  });

  it('never gives hundreds of such names the same hash', () => {
    const factor = 801_505_277;
    expect(hashesOf(factor).size).to.be.lessThan(8500);
    expect(separatesNumbers(factor)).to.equal(false);
  });

  it('is not one that gives a few of them the same hash', () => {
    const factor = 1_749_899_685;
    expect(hashesOf(factor).size).to.be.lessThan(9000);
    expect(separatesNumbers(factor)).to.equal(false);
  });
});

/** Of names with four digits. A factor that separates them does so with every seed. */
function hashesOf(factor: number): Set<number> {
  const names = Array.from({ length: 9000 }, (_, index) => Buffer.from(`feature-${1000 + index}`));
  return new Set(names.map((name) => name.reduce((hash, byte) => Math.imul(hash ^ byte, factor), 0)));
}
