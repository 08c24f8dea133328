import type { Readable } from 'node:stream';
import type { Caller } from '#domain';

/** Lists that a caller may be reading at the same time: each takes memory until it has been read. */
const MAX_OPEN_LISTS = 16;

export type OpenLists = {
  /** Whether the caller may read this list too; it counts until it is closed. */
  admit(caller: Caller, list: Readable): boolean;
};

export function createOpenLists(): OpenLists {
  const open = new Map<string, number>();
  return {
    admit({ userId, tokenId }, list) {
      const key = `${userId} ${tokenId ?? ''}`;
      const before = open.get(key) ?? 0;
      if (before >= MAX_OPEN_LISTS) return false;
      open.set(key, before + 1);
      list.once('close', () => {
        const left = (open.get(key) ?? 1) - 1;
        if (left === 0) open.delete(key);
        else open.set(key, left);
      });
      return true;
    },
  };
}
