import type { Readable } from 'node:stream';
import { Room } from '#runtime';
import type { Caller } from '#tokens';

/** The maximum number of lists that one caller reads at the same time. Each needs memory until it has been read. */
const MAX_OPEN_LISTS = 8;

export type OpenLists = {
  /** Whether the caller may read another list. The list counts until it is closed. */
  admit(caller: Caller, list: Readable): boolean;
};

export function createOpenLists(): OpenLists {
  const open = new Room({ each: MAX_OPEN_LISTS, all: Infinity });
  return {
    admit({ userId, tokenId }, list) {
      const owner = `${userId} ${tokenId ?? ''}`;
      if (!open.reserve(owner)) return false;
      list.once('close', () => {
        open.giveBack(owner);
      });
      return true;
    },
  };
}
