import { expect } from 'chai';
import { PoisonGuard } from '#core/counting';

describe('PoisonGuard', () => {
  it('accepts a block without dead letters, whatever came before', () => {
    expect(guardAfter([0n, 1n, 2n, 3n, 4n]).isFlood([])).to.equal(false);
  });

  it('accepts the allowed number of dead letters', () => {
    expect(guardAfter([]).isFlood([0n, 1n, 2n, 3n, 4n])).to.equal(false);
  });

  it('stops at one more than allowed', () => {
    expect(guardAfter([]).isFlood([0n, 1n, 2n, 3n, 4n, 5n])).to.equal(true);
  });

  it('adds up the dead letters of recent blocks', () => {
    expect(guardAfter([0n, 1n, 2n, 10n, 11n]).isFlood([20n])).to.equal(true);
  });

  it('adds up fewer dead letters than are allowed, in each block', () => {
    expect(guardAfter([0n, 1n, 2n]).isFlood([10n, 11n, 12n])).to.equal(true);
  });

  it('accepts many dead letters that are few among 1,000 messages', () => {
    expect(guardAfter([]).isFlood(Array.from({ length: 100 }, (_, index) => BigInt(index * 200)))).to.equal(
      false,
    );
  });

  it('forgets dead letters of 1,000 offsets ago', () => {
    expect(guardAfter([10n, 11n, 12n, 13n, 14n]).isFlood([1010n])).to.equal(false);
  });

  it('remembers dead letters of 999 offsets ago', () => {
    expect(guardAfter([10n, 11n, 12n, 13n, 14n]).isFlood([1009n])).to.equal(true);
  });

  it('returns the same answer again for a block that is not stored yet', () => {
    const guard = guardAfter([0n, 1n, 2n]);
    expect([guard.isFlood([10n, 11n]), guard.isFlood([10n, 11n])]).to.deep.equal([false, false]);
  });

  it('accepts none if none are allowed', () => {
    expect(new PoisonGuard(0).isFlood([7n])).to.equal(true);
  });

  it('includes the dead letters of stored blocks, spread evenly', () => {
    const guard = new PoisonGuard(5);
    guard.load([{ from: 0n, to: 10_000n, dead: 60 }]);
    expect(guard.isFlood([10_000n])).to.equal(true);
  });

  it('includes the dead letters of a long good block without alarm', () => {
    const guard = new PoisonGuard(5);
    guard.load([{ from: 100_000n, to: 120_000n, dead: 50 }]);
    expect(guard.isFlood([120_000n])).to.equal(false);
  });
});

/** A guard that allows 5 dead letters and has seen some at these offsets. */
function guardAfter(offsets: readonly bigint[]): PoisonGuard {
  const guard = new PoisonGuard(5);
  guard.remember(offsets);
  return guard;
}
