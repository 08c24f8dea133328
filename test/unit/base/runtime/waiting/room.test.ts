import { expect } from 'chai';
import fc from 'fast-check';
import { Room } from '#base/runtime';

describe('Room', () => {
  it('gives no owner more than its limit, and leaves the others theirs', () => {
    const room = new Room({ each: 2, all: 10 });
    expect([
      room.reserve('one'),
      room.reserve('one'),
      room.reserve('one'),
      room.reserve('two'),
    ]).to.deep.equal([true, true, false, true]);
    room.giveBack('one');
    expect(room.reserve('one')).to.equal(true);
  });

  it('gives all owners together no more than the total, and reserves nothing for a rejected request', () => {
    const room = new Room({ each: 4, all: 5 });
    expect([room.reserve('one', 4), room.reserve('two', 2), room.reserve('two', 1)]).to.deep.equal([
      true,
      false,
      true,
    ]);
    expect([room.total, room.max]).to.deep.equal([5, 4]);
  });

  it('counts what was reserved and not released, in any order', () => {
    const requests = fc.array(fc.tuple(fc.constantFrom('one', 'two'), fc.nat(6)), { maxLength: 40 });
    fc.assert(
      fc.property(requests, (wanted) => {
        const room = new Room({ each: 12, all: 20 });
        const reserved = wanted.filter(([owner, amount]) => room.reserve(owner, amount));
        expect(room.total).to.equal(reserved.reduce((sum, [, amount]) => sum + amount, 0));
        for (const [owner, amount] of reserved) room.giveBack(owner, amount);
        expect([room.total, room.max]).to.deep.equal([0, 0]);
      }),
    );
  });
});
