import { expect } from 'chai';
import fc from 'fast-check';
import { KnownBytes, viewOf } from '#core/counting';

const LIMITS = { values: 1000, bytes: 100_000 } as const;

describe('known bytes', () => {
  it('have the values that they were added with, wherever they stand, and others have none', () => {
    const short = fc.uint8Array({ minLength: 4, maxLength: 40, max: 3 });
    fc.assert(
      fc.property(fc.array(short, { maxLength: 60 }), fc.nat({ max: 9 }), (lists, before) => {
        const known = new KnownBytes<number>(LIMITS);
        const expected = new Map<string, number>();
        for (const [index, bytes] of lists.entries()) {
          const key = Buffer.from(bytes).toString('latin1');
          const view = viewOf(Buffer.concat([Buffer.alloc(before), bytes]));
          expect(known.find(view, before, bytes.length)).to.equal(expected.get(key));
          if (expected.has(key)) continue;
          known.add(view, { start: before, length: bytes.length }, index);
          expected.set(key, index);
        }
        for (const [key, index] of expected) {
          const bytes = Buffer.from(key, 'latin1');
          expect(known.find(viewOf(bytes), 0, bytes.length)).to.equal(index);
        }
      }),
    );
  });

  it('are forgotten all when there are too many, or they are too long together', () => {
    for (const limits of [
      { values: 100, bytes: 100_000 },
      { values: 1000, bytes: 2000 },
    ]) {
      const known = new KnownBytes<number>(limits);
      const most = Math.min(limits.values, limits.bytes / 20);
      for (let n = 0; n <= most; n += 1) {
        const view = viewOf(Buffer.from(`bytes ${n}`.padEnd(20)));
        known.add(view, { start: 0, length: 20 }, n);
        expect(known.find(view, 0, 20)).to.equal(n);
        expect(known.size).to.equal(n < most ? n + 1 : 1);
      }
      expect(known.bytes).to.be.lessThan(3 * limits.bytes + 10_000);
    }
  });

  it('of less than a word, or more than 4,096, are not remembered', () => {
    const known = new KnownBytes<number>(LIMITS);
    for (const length of [0, 3, 4097]) {
      const view = viewOf(Buffer.alloc(length));
      known.add(view, { start: 0, length }, 1);
      expect(known.find(view, 0, length)).to.equal(undefined);
    }
    expect(known.size).to.equal(0);
  });
});
