import { expect } from 'chai';
import fc from 'fast-check';
import { HashTable } from '../../../../../packages/core/counting/names/hash-table.ts';

describe('HashTable', () => {
  it('admits and knows the same hashes as a set with a limit, in which 0 is 1, and reports its bytes', () => {
    const hash = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
    fc.assert(
      fc.property(fc.array(hash, { size: 'large' }), fc.integer({ min: 0, max: 60 }), (hashes, limit) => {
        let bytes = 0;
        const table = new HashTable(limit, (more) => {
          bytes += more;
        });
        const known = new Set<number>();
        for (const given of hashes) {
          const kept = given === 0 ? 1 : given;
          const isAdmitted = known.has(kept) || known.size < limit;
          expect(table.admit(given)).to.equal(isAdmitted);
          if (isAdmitted) known.add(kept);
          expect(table.has(given)).to.equal(isAdmitted);
          expect(table.size).to.equal(known.size);
        }
        for (const each of known) expect(table.has(each)).to.equal(true);
        expect(bytes).to.equal(table.bytes);
        expect(bytes).to.be.within(64, Math.max(64, known.size * 16));
      }),
    );
  });
});
