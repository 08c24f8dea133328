import { randomInt } from 'node:crypto';

/** Digits differ in their lowest four bits only. */
const MAX_DIFFERENCE = 15;

/**
 * The seeds differ in each process. Otherwise names made to have equal hashes could slow down the tables of a batch and exceed
 * the limits on names.
 */
export const HASH_SEED = randomInt(2 ** 32) | 0;
export const HASH_FACTOR = chooseFactor();

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

function chooseFactor(): number {
  for (;;) {
    const factor = (randomInt(2 ** 29) * 8 + 5) | 0;
    if (separatesNumbers(factor)) return factor;
  }
}

/**
 * Whether names that differ only in four neighbouring digits get different hashes. The hashes are equal if the differences of the
 * digits, multiplied by powers of the factor, add up to 0. One factor in a thousand has such differences; the worst that we saw gave
 * 604 of 6,000 numbered names the hash of another one.
 */
export function separatesNumbers(factor: number): boolean {
  for (let first = 0; first <= MAX_DIFFERENCE; first += 1)
    for (let second = -MAX_DIFFERENCE; second <= MAX_DIFFERENCE; second += 1)
      for (let third = -MAX_DIFFERENCE; third <= MAX_DIFFERENCE; third += 1) {
        const sum = Math.imul(Math.imul(Math.imul(first, factor) + second, factor) + third, factor) | 0;
        const isZero = first === 0 && second === 0 && third === 0;
        if (!isZero && sum >= -MAX_DIFFERENCE && sum <= MAX_DIFFERENCE) return false;
      }
  return true;
}
