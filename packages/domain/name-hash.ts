import { randomInt } from 'node:crypto';

/**
 * Other ones in each process: names that are made to share a hash would slow down the tables of a batch and pass the limits
 * on names together.
 */
export const HASH_SEED = randomInt(2 ** 32) | 0;
export const HASH_FACTOR = (randomInt(2 ** 29) * 8 + 5) | 0;

/** 32 bits; of ASCII, what `ByteCursor.readText` makes of its bytes. */
export function hashOfName(name: string): number {
  let hash = HASH_SEED;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), HASH_FACTOR);
  return hash;
}
