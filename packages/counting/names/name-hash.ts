import { randomInt } from 'node:crypto';

/**
 * Other ones in each process: names, and rows of them, that are made to share a hash would slow down the tables of a batch and
 * pass the limits on names together.
 */
export const HASH_SEED = randomInt(2 ** 32) | 0;
export const HASH_FACTOR = (randomInt(2 ** 29) * 8 + 5) | 0;

/** 32 bits; of ASCII, what `ByteCursor.readText` makes of its bytes. */
export function hashOfName(name: string): number {
  let hash = HASH_SEED;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), HASH_FACTOR);
  return hash;
}

/** Of what the rows of a group share; takes the hashes of names. */
export function hashOfGroup(app: number, environment: number, hour: number): number {
  return hashOfPair(hashOfPair(app, environment), hour);
}

/** Of two whole numbers or hashes, in this order. */
export function hashOfPair(first: number, second: number): number {
  return Math.imul(Math.imul(first ^ HASH_SEED, HASH_FACTOR) ^ second, HASH_FACTOR);
}
