import type { ServerResponse } from 'node:http';
import { HttpProblem } from '#base/http';
import { Room } from '#base/runtime';
import { type Caller, keyOf } from '#base/tokens';
import type { Endings } from './endings.ts';
import { LimitReached } from './limit-reached.ts';

/** The numbers of lists that one caller and all callers may read at the same time. Each needs memory until it has been read. */
const MAX_OPEN_LISTS = { each: 8, all: 400 };

export type OpenLists = {
  /** Counts a list until its answer has ended, also if the client leaves. Throws a 429 or a 503 if there are too many. */
  admit(caller: Caller, answer: ServerResponse): void;
};

export function createOpenLists(endings: Pick<Endings, 'notice'>): OpenLists {
  const open = new Room(MAX_OPEN_LISTS);
  return {
    admit(caller, answer) {
      const owner = keyOf(caller);
      if (!open.reserve(owner)) throw open.total < MAX_OPEN_LISTS.all ? tooManyOfCaller() : tooMany();
      endings.notice(answer, () => {
        open.giveBack(owner);
      });
    },
  };
}

function tooManyOfCaller(): LimitReached {
  return new LimitReached('open_lists', 'You are reading too many lists at the same time.', 5);
}

function tooMany(): HttpProblem {
  return new HttpProblem(503, 'Too many lists are being read. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
  });
}
