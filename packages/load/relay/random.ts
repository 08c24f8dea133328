/** Numbers from 0 (included) to 1 (excluded), determined by the seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID; Edge creates one for each of its processes. */
export function createConnectionId(now: number, random: () => number): string {
  let time = '';
  for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) time = digit(rest % 32) + time;
  return time + Array.from({ length: 16 }, () => digit(Math.floor(random() * 32))).join('');
}

function digit(value: number): string {
  return CROCKFORD.charAt(value);
}
