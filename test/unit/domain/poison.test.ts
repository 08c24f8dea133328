import { PoisonGuard } from '#domain';
import { expect } from 'chai';

describe('PoisonGuard', () => {
  it('lets a block without dead letters pass, whatever came before', () => {
    expect(guardAfter([{ to: 10n, dead: 99 }]).isFlood({ from: 10n, dead: 0 })).to.equal(false);
  });

  it('lets as many dead letters pass as are allowed', () => {
    expect(guardAfter([]).isFlood({ from: 0n, dead: 5 })).to.equal(false);
  });

  it('stops at one more than are allowed', () => {
    expect(guardAfter([]).isFlood({ from: 0n, dead: 6 })).to.equal(true);
  });

  it('adds up the dead letters of recent blocks', () => {
    const guard = guardAfter([
      { to: 10n, dead: 3 },
      { to: 20n, dead: 2 },
    ]);
    expect(guard.isFlood({ from: 20n, dead: 1 })).to.equal(true);
  });

  it('forgets blocks that ended 1,000 offsets ago', () => {
    expect(guardAfter([{ to: 10n, dead: 5 }]).isFlood({ from: 1010n, dead: 1 })).to.equal(false);
  });

  it('remembers blocks that ended 999 offsets ago', () => {
    expect(guardAfter([{ to: 10n, dead: 5 }]).isFlood({ from: 1009n, dead: 1 })).to.equal(true);
  });

  it('gives the same answer when it is asked again about a block that is not stored yet', () => {
    const guard = guardAfter([{ to: 10n, dead: 3 }]);
    expect([guard.isFlood({ from: 10n, dead: 2 }), guard.isFlood({ from: 10n, dead: 2 })]).to.deep.equal([
      false,
      false,
    ]);
  });
});

/** A guard that allows 5 dead letters, after it has seen these blocks. */
function guardAfter(blocks: readonly { readonly to: bigint; readonly dead: number }[]): PoisonGuard {
  const guard = new PoisonGuard(5);
  for (const block of blocks) guard.remember(block);
  return guard;
}
