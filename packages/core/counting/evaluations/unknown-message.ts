import { isCount } from '../encoding/guards.ts';
import type { ReadableSums } from '../sums/readable-sums.ts';

/** Evaluations of a row whose result is unknown. */
export type UnknownSum = { readonly feature: number; readonly group: number; readonly count: number };

/** The numbers of one sum. */
const WIDTH = 3;

/** The unknown results in the head of a message, as numbers: a row of a message has none, because relays say each result. */
export function encodeUnknown(sums: ReadableSums): number[] {
  return Array.from(sums.unknown, ([row, count]) => [sums.featureOf(row), sums.groupOf(row), count]).flat();
}

/** The sums; undefined if one of them refers to a missing name or group. */
export function decodeUnknown(
  encoded: unknown,
  { names, groups }: { readonly names: number; readonly groups: number },
): UnknownSum[] | undefined {
  if (!Array.isArray(encoded) || !encoded.every(isCount) || encoded.length % WIDTH !== 0) return undefined;
  const sums: UnknownSum[] = [];
  for (let i = 0; i < encoded.length; i += WIDTH) {
    const [feature = names, group = groups, count = 0] = encoded.slice(i, i + WIDTH);
    if (feature >= names || group >= groups) return undefined;
    sums.push({ feature, group, count });
  }
  return sums;
}
