import { expect } from 'chai';
import fc from 'fast-check';
import { CountSums } from '#core/counting';
import { rowsOf, sumsOfCounts, totalOf } from '../../../../support/model/naive-sums.ts';

const MAX = Number.MAX_SAFE_INTEGER;

describe('CountSums', () => {
  it('gives one name one id', () => {
    const sums = new CountSums();
    expect([sums.nameId('a'), sums.nameId('b'), sums.nameId('a')]).to.deep.equal([0, 1, 0]);
  });

  it('gives different groups different ids, and the same group the same id', () => {
    const triple = fc.tuple(fc.nat(50_000), fc.nat(50_000), fc.nat(1_200_000));
    fc.assert(
      fc.property(fc.uniqueArray(triple, { selector: String, maxLength: 300 }), (triples) => {
        const sums = new CountSums();
        const ids = () => triples.map(([app, environment, hour]) => sums.groupId(app, environment, hour));
        expect(ids()).to.deep.equal([...triples.keys()]);
        expect(ids()).to.deep.equal([...triples.keys()]);
      }),
    );
  });

  it('adds up another batch after clear as if it were new', () => {
    const metric = fc.record({ feature: fc.nat(30), hour: fc.nat(3), variant: fc.nat(3), count: fc.nat(9) });
    const batches = fc.array(fc.array(metric, { maxLength: 60 }), { maxLength: 4 });
    fc.assert(
      fc.property(batches, (all) => {
        const used = new CountSums();
        for (const batch of all) {
          used.clear();
          const fresh = new CountSums();
          for (const sums of [used, fresh])
            for (const { feature, hour, variant, count } of batch) {
              sums.select(sums.groupId(0, 1, hour), sums.nameId(`feature ${feature}`));
              sums.add(1, count, 0);
              sums.addUnknown(count);
              sums.addVariant(sums.nameId(`variant ${variant}`), count);
            }
          expect(rowsOf(used)).to.deep.equal(rowsOf(fresh));
          expect([used.names, used.unknown]).to.deep.equal([fresh.names, fresh.unknown]);
        }
      }),
    );
  });

  it('forgets a batch of thousands of rows', () => {
    const sums = new CountSums();
    for (let feature = 0; feature < 3000; feature += 1) sums.select(0, feature);
    sums.clear();
    expect(sums.rowCount).to.equal(0);
    for (let feature = 0; feature < 3000; feature += 1) sums.select(0, feature);
    expect([sums.rowCount, sums.reportsOf(2999)]).to.deep.equal([3000, 0]);
  });

  it('counts its distinct rows', () => {
    const sums = new CountSums();
    const [one, other] = [sums.groupId(0, 1, 5), sums.groupId(0, 1, 6)];
    for (const group of [one, other, one]) sums.select(group, 7);
    expect(sums.rowCount).to.equal(2);
  });

  it('distinguishes rows whose features and groups have close ids', () => {
    const pair = fc.tuple(fc.nat(40), fc.nat(40));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 1500, size: 'max' }), (pairs) => {
        const naive = new Map<string, number>();
        const sums = new CountSums();
        for (const [group, feature] of pairs) {
          naive.set(`${group} ${feature}`, (naive.get(`${group} ${feature}`) ?? 0) + 1);
          sums.select(group, feature);
          sums.add(1, 0, 0);
        }
        const rows = Array.from({ length: sums.rowCount }, (_, row) => row);
        expect(
          rows.map((row) => [`${sums.groupOf(row)} ${sums.featureOf(row)}`, sums.reportsOf(row)]),
        ).to.deep.equal([...naive]);
      }),
      { numRuns: 30 },
    );
  });

  it('grows with names, groups, rows and variants', () => {
    const sums = new CountSums();
    for (const times of [1, 2, 3]) {
      for (let n = 0; n < 3000; n += 1) {
        const group = sums.groupId(sums.nameId(`app ${n % 30}`), sums.nameId('environment'), n % 700);
        sums.select(group, sums.nameId(`feature ${n}`));
        sums.add(1, n, times);
        for (let variant = 0; variant <= n % 3; variant += 1)
          sums.addVariant(sums.nameId(`variant ${n % 500} ${variant}`), n + variant);
      }
    }
    const stored = sumsOfCounts(sums);
    for (const n of [0, 1, 63, 64, 127, 128, 2047, 2048, 2999]) {
      const key = [`feature ${n}`, `app ${n % 30}`, 'environment', n % 700];
      expect(stored[JSON.stringify([...key, 'yes'])]).to.equal(BigInt(3 * n));
      expect(stored[JSON.stringify([...key, 'no'])]).to.equal(6n);
      const variant = `variant variant ${n % 500} ${n % 3}`;
      expect(stored[JSON.stringify([...key, variant])] ?? 0n).to.equal(BigInt(3 * (n + (n % 3))));
    }
    expect([sums.rowCount, sums.variantCount, totalOf(stored, 'reports')]).to.deep.equal([3000, 6000, 9000n]);
  });

  it('holds a sum of exactly 2^53-1 in one row', () => {
    const sums = sumsOf([
      [MAX - 1, 0, 1],
      [1, MAX, MAX - 1],
    ]);
    expect(rowsOf(sums)).to.have.lengthOf(1);
    expect(rowsOf(sums)[0]).to.deep.include({ reports: 2, yes: MAX, no: MAX, variants: [['blue', MAX]] });
  });

  it('starts another row for a larger sum', () => {
    const sums = sumsOf([
      [MAX, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
    ]);
    expect(rowsOf(sums).map(({ reports, yes }) => [reports, yes])).to.deep.equal([
      [1, MAX],
      [2, 2],
    ]);
  });

  it('adds up any counts exactly', () => {
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

  it('adds up any unknown results exactly, beside the others of their row', () => {
    const count = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, MAX));
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { maxLength: 20 }), (counts) => {
        const sums = new CountSums();
        const group = sums.groupId(sums.nameId('app'), sums.nameId('environment'), 500_000);
        for (const [yes, unknown] of counts) {
          sums.select(group, sums.nameId('feature'));
          sums.add(1, yes, 0);
          sums.addUnknown(unknown);
        }
        const exact = (index: 0 | 1) => counts.reduce((sum, pair) => sum + BigInt(pair[index]), 0n);
        const stored = sumsOfCounts(sums);
        expect([totalOf(stored, 'yes'), totalOf(stored, 'unknown')]).to.deep.equal([exact(0), exact(1)]);
        expect(totalOf(stored, 'reports')).to.equal(BigInt(counts.length));
      }),
    );
  });

  it('names each variant at most once in a row', () => {
    const count = fc.constantFrom(1, MAX);
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count, count), { maxLength: 20 }), (counts) => {
        for (const { variants } of rowsOf(sumsOf(counts))) expect(variants.length).to.be.at.most(1);
      }),
    );
  });

  it('handles a hundred thousand counts of 2^53-1 in a row', () => {
    const counts = Array.from({ length: 100_000 }, () => [MAX, MAX, MAX] as const);
    const stored = sumsOfCounts(sumsOf(counts));
    expect(totalOf(stored, 'yes')).to.equal(100_000n * BigInt(MAX));
    expect(totalOf(stored, 'variant blue')).to.equal(100_000n * BigInt(MAX));
  });

  it('handles a hundred thousand variants of one row', () => {
    const sums = new CountSums();
    sums.select(sums.groupId(0, 1, 5), 7);
    for (const count of [1, 2]) for (let name = 0; name < 100_000; name += 1) sums.addVariant(name, count);
    expect([sums.variantCount, sums.countOfVariant(0), sums.countOfVariant(99_999)]).to.deep.equal([
      100_000, 3, 3,
    ]);
  });
});

/** One key to which all these counts of yes, no and one variant are added. */
function sumsOf(counts: readonly (readonly [yes: number, no: number, blue: number])[]): CountSums {
  const sums = new CountSums();
  const group = sums.groupId(sums.nameId('app'), sums.nameId('environment'), 500_000);
  for (const [yes, no, blue] of counts) {
    sums.select(group, sums.nameId('feature'));
    sums.add(1, yes, no);
    sums.addVariant(sums.nameId('blue'), blue);
  }
  return sums;
}
