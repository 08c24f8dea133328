import { HttpProblem } from '#base/http';
import { Room } from '#base/runtime';
import { type Caller, keyOf } from '#base/tokens';
import { LimitReached } from '../../http/turns/limit-reached.ts';

/** The maximum number of listeners of one caller, and of all callers together; and of all who are no Admins. */
const MAX_LISTENERS = { each: 20, all: 1000 };
const MAX_BESIDE_ADMINS = { ...MAX_LISTENERS, all: 900 };
/** Keeps a share for Admins, so that no number of others can lock them out. */
export function createListenersRoom() {
  const all = new Room(MAX_LISTENERS);
  const besideAdmins = new Room(MAX_BESIDE_ADMINS);
  const roomsOf = ({ role }: Caller): Room[] => (role === 'Admin' ? [all] : [all, besideAdmins]);
  return {
    total: () => all.total,
    /** Throws if there is no room. */
    reserve(caller: Caller): void {
      const rooms = roomsOf(caller);
      const isFull = rooms.some(({ total, limits }) => total >= limits.all);
      if (isFull) throw tooMany();
      for (const room of rooms) if (!room.reserve(keyOf(caller))) throw tooManyOfCaller();
    },
    giveBack(caller: Caller): void {
      for (const room of roomsOf(caller)) room.giveBack(keyOf(caller));
    },
  };
}

function tooManyOfCaller(): LimitReached {
  return new LimitReached('live_streams', 'You are listening to too many streams. End one of them.', 15);
}

export function tooMany(): HttpProblem {
  return new HttpProblem(503, 'Too many listeners. Try again later.', { headers: { 'Retry-After': '15' } });
}
