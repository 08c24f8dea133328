import { CountRow, CountSums } from '#domain';
import { expect } from 'chai';
import fc from 'fast-check';
import { sumsOfCounts, totalOf } from '../../support/naive-sums.ts';

const MAX = Number.MAX_SAFE_INTEGER;

describe('CountSums', () => {
  it('gives one name one id', () => {
    const sums = new CountSums();
    expect([sums.nameId('a'), sums.nameId('b'), sums.nameId('a')]).to.deep.equal([0, 1, 0]);
  });

  it('keeps apart any two groups', () => {
    const triple = fc.tuple(fc.nat(50_000), fc.nat(50_000), fc.nat(1_200_000));
    fc.assert(
      fc.property(fc.uniqueArray(triple, { selector: String, maxLength: 50 }), (triples) => {
        const sums = new CountSums();
        expect(
          new Set(triples.map(([app, environment, hour]) => sums.group(app, environment, hour))).size,
        ).to.equal(triples.length);
      }),
    );
  });

  it('finds a group again', () => {
    const sums = new CountSums();
    expect(sums.group(3, 4, 500_000)).to.equal(sums.group(3, 4, 500_000));
  });

  it('counts its distinct rows', () => {
    const sums = new CountSums();
    const [one, other] = [sums.group(0, 1, 5), sums.group(0, 1, 6)];
    for (const group of [one, other, one]) sums.row(group, 7);
    expect(sums.rowCount).to.equal(2);
  });
});

describe('CountRow', () => {
  it('holds a sum of exactly 2^53-1 without a spill', () => {
    const row = new CountRow();
    row.add(1, MAX - 1, 0);
    row.add(1, 1, MAX);
    expect(row).to.include({ reports: 2, yes: MAX, no: MAX, spill: undefined });
  });

  it('comes to the exact sum of any counts, none of them rounded', () => {
    const count = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, MAX));
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count, count), { maxLength: 20 }), (counts) => {
        const exact = (index: 0 | 1 | 2) => counts.reduce((sum, triple) => sum + BigInt(triple[index]), 0n);
        const stored = sumsOfCounts(sumsOf(counts));
        expect([totalOf(stored, 'yes'), totalOf(stored, 'no')]).to.deep.equal([exact(0), exact(1)]);
        expect(totalOf(stored, 'variant blue')).to.equal(exact(2));
        expect(totalOf(stored, 'reports')).to.equal(BigInt(counts.length));
      }),
    );
  });

  it('takes a hundred thousand counts of 2^53-1 in a row', () => {
    const counts = Array.from({ length: 100_000 }, () => [MAX, MAX, MAX] as const);
    const stored = sumsOfCounts(sumsOf(counts));
    expect(totalOf(stored, 'yes')).to.equal(100_000n * BigInt(MAX));
    expect(totalOf(stored, 'variant blue')).to.equal(100_000n * BigInt(MAX));
  });
});

/** One row to which all these counts of yes, no and one variant are added. */
function sumsOf(counts: readonly (readonly [yes: number, no: number, blue: number])[]): CountSums {
  const sums = new CountSums();
  const group = sums.group(sums.nameId('app'), sums.nameId('environment'), 500_000);
  const row = sums.row(group, sums.nameId('feature'));
  for (const [yes, no, blue] of counts) {
    row.add(1, yes, no);
    row.addVariant(sums.nameId('blue'), blue);
  }
  return sums;
}
