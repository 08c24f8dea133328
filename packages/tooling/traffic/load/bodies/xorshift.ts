/** The first state of a request: the seed and the number of the request determine all its counts. Never 0, which would stay 0. */
export function firstState(sequence: number, seed: number): number {
  return Math.imul(sequence + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b) || 1;
}

/** The next state of xorshift32. Its bits are as good as random for made-up counts, and cost almost nothing. */
export function nextState(state: number): number {
  let next = state;
  next ^= next << 13;
  next ^= next >>> 17;
  return next ^ (next << 5);
}
