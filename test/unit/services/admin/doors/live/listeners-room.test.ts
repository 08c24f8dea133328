import { expect } from 'chai';
import { ANYBODY, type Caller } from '#base/tokens';
import { createListenersRoom } from '../../../../../../services/admin/doors/live/listeners-room.ts';

const EACH = 20;

describe('the room for listeners', () => {
  it('has 900 places for all who are no Admins, and further ones for Admins', () => {
    const room = createListenersRoom();
    for (let place = 0; place < 900; place += 1) room.reserve(aCaller('Viewer', Math.floor(place / EACH)));
    expect(() => {
      room.reserve(aCaller('Viewer', 1000));
    }).to.throw('Too many listeners');

    for (let place = 0; place < 100; place += 1)
      room.reserve(aCaller('Admin', 2000 + Math.floor(place / EACH)));
    expect(() => {
      room.reserve(aCaller('Admin', 3000));
    }).to.throw('Too many listeners');
  });

  it('has 20 places for one caller, who may have a place again that was given back', () => {
    const room = createListenersRoom();
    const viewer = aCaller('Viewer', 1);
    for (let place = 0; place < EACH; place += 1) room.reserve(viewer);
    expect(() => {
      room.reserve(viewer);
    }).to.throw('You are listening to too many streams');

    room.giveBack(viewer);
    room.reserve(viewer);
    expect(room.total()).to.equal(EACH);
  });
});

function aCaller(role: Caller['role'], userId: number): Caller {
  return { ...ANYBODY, role, userId };
}
