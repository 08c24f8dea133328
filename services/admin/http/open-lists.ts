import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { Room } from '#runtime';
import type { Caller } from '#tokens';

/** The maximum number of lists that one caller reads at the same time. Each needs memory until it has been read. */
const MAX_OPEN_LISTS = 8;

export type OpenLists = {
  /** Whether the caller may read another list. The list counts until its answer is over, also if the client leaves. */
  admit(caller: Caller, answer: ServerResponse): boolean;
};

export function createOpenLists(): OpenLists {
  const open = new Room({ each: MAX_OPEN_LISTS, all: Infinity });
  return {
    admit({ userId, tokenId }, answer) {
      const owner = `${userId} ${tokenId ?? ''}`;
      if (!open.reserve(owner)) return false;
      finished(answer, () => {
        open.giveBack(owner);
      });
      return true;
    },
  };
}
