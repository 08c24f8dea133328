import { randomInt } from 'node:crypto';

/**
 * The seeds differ in each process. Otherwise names made to have equal hashes could slow down the tables of a batch and exceed
 * the limits on names.
 */
export const HASH_SEED = randomInt(2 ** 32) | 0;
export const HASH_FACTOR = (randomInt(2 ** 29) * 8 + 5) | 0;

/** A hash of 32 bits. For ASCII it equals what `ByteCursor.readText` computes from the bytes. */
export function hashOfName(name: string): number {
  let hash = HASH_SEED;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), HASH_FACTOR);
  return hash;
}

/** Hashes the part that the rows of a group share, from the hashes of names. */
export function hashOfGroup(app: number, environment: number, hour: number): number {
  return hashOfPair(hashOfPair(app, environment), hour);
}

/** Hashes two whole numbers or hashes; their order matters. */
export function hashOfPair(first: number, second: number): number {
  return Math.imul(Math.imul(first ^ HASH_SEED, HASH_FACTOR) ^ second, HASH_FACTOR);
}
