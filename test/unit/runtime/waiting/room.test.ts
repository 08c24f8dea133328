import { expect } from 'chai';
import fc from 'fast-check';
import { Room } from '#runtime';

describe('Room', () => {
  it('gives no owner more than its limit, and leaves the others theirs', () => {
    const room = new Room({ each: 2, all: 10 });
    expect([room.take('one'), room.take('one'), room.take('one'), room.take('two')]).to.deep.equal([
      true,
      true,
      false,
      true,
    ]);
    room.giveBack('one');
    expect(room.take('one')).to.equal(true);
  });

  it('gives all owners together no more than the total, and reserves nothing for a rejected request', () => {
    const room = new Room({ each: 4, all: 5 });
    expect([room.take('one', 4), room.take('two', 2), room.take('two', 1)]).to.deep.equal([
      true,
      false,
      true,
    ]);
    expect([room.total, room.most]).to.deep.equal([5, 4]);
  });

  it('counts what was reserved and not released, in any order', () => {
    const takes = fc.array(fc.tuple(fc.constantFrom('one', 'two'), fc.nat(6)), { maxLength: 40 });
    fc.assert(
      fc.property(takes, (wanted) => {
        const room = new Room({ each: 12, all: 20 });
        const taken = wanted.filter(([owner, amount]) => room.take(owner, amount));
        expect(room.total).to.equal(taken.reduce((sum, [, amount]) => sum + amount, 0));
        for (const [owner, amount] of taken) room.giveBack(owner, amount);
        expect([room.total, room.most]).to.deep.equal([0, 0]);
      }),
    );
  });
});
