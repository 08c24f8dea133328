import { expect } from 'chai';
import fc from 'fast-check';
import { type ReasonSum, ReasonSums } from '#core/counting';

const ROW = { feature: 1, group: 2 };
const FAILED = { reason: 3, errorType: 4, provider: 5 };

describe('sums of reasons', () => {
  it('are kept apart by feature, group, reason, error and provider, also if there is no error or provider', () => {
    const id = fc.nat(3);
    const maybe = fc.option(id, { nil: undefined });
    const given = fc.record({
      feature: id,
      group: id,
      reason: id,
      errorType: maybe,
      provider: maybe,
      count: fc.nat(1000),
    });
    fc.assert(
      fc.property(fc.array(given, { maxLength: 300 }), (all) => {
        const sums = new ReasonSums();
        const exact = new Map<string, number>();
        for (const { count, feature, group, ...outcome } of all) {
          sums.add({ feature, group }, outcome, count);
          const key = keyOf({ feature, group, ...outcome });
          exact.set(key, (exact.get(key) ?? 0) + count);
        }
        const found = Array.from(sums.all(), ({ count, ...key }) => [keyOf(key), count] as const);
        expect(found).to.deep.equal([...exact]);
        expect(sums.count).to.equal(exact.size);
      }),
    );
  });

  it('are forgotten by clear', () => {
    const sums = new ReasonSums();
    for (const count of [5, 7]) {
      sums.clear();
      sums.add(ROW, FAILED, count);
      expect([...sums.all()]).to.deep.equal([{ ...ROW, ...FAILED, count }]);
    }
  });

  it('may be many', () => {
    const sums = new ReasonSums();
    const outcomes = Array.from({ length: 1000 }, (_, reason) => ({ ...FAILED, reason }));
    for (const outcome of outcomes) sums.add(ROW, outcome, 1 + outcome.reason);
    expect([...sums.all()]).to.deep.equal(
      outcomes.map((outcome) => ({ ...ROW, ...outcome, count: 1 + outcome.reason })),
    );
  });

  it('that would exceed 2^53-1 continue in another one', () => {
    const sums = new ReasonSums();
    for (const count of [Number.MAX_SAFE_INTEGER - 1, 1, 1, 2]) sums.add(ROW, FAILED, count);
    expect([...sums.all()]).to.deep.equal([
      { ...ROW, ...FAILED, count: Number.MAX_SAFE_INTEGER },
      { ...ROW, ...FAILED, count: 3 },
    ]);
  });
});

function keyOf({ feature, group, reason, errorType, provider }: Omit<ReasonSum, 'count'>): string {
  return [feature, group, reason, errorType ?? 'none', provider ?? 'none'].join();
}
