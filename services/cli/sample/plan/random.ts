import { createRandom as createUniform } from '#tooling/traffic';

/** Random numbers that are the same in each run: functions of their seed. */
export type Random = {
  /** At least 0, less than 1. */
  uniform(): number;
  /** Nearly normal, with mean 0 and deviation 1. */
  normal(): number;
};

/** A number below 2^32 (FNV-1a). */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export function createRandom(seed: number): Random {
  const uniform = createUniform(seed);
  return { uniform, normal: () => 2 * (uniform() + uniform() + uniform()) - 3 };
}
