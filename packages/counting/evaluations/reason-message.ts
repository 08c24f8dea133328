import { isCount } from '../message/guards.ts';
import { ReasonSums } from './reason-sums.ts';

/** The numbers of one sum: feature, group, reason, error type plus one or 0, count. */
const WIDTH = 5;

/** The reasons in the head of a message, as numbers. They refer to its names and groups. */
export function encodeReasons(reasons: ReasonSums): number[] {
  return Array.from(reasons.all(), ({ feature, group, reason, errorType, count }) => [
    ...[feature, group, reason, errorType === undefined ? 0 : errorType + 1, count],
  ]).flat();
}

/** The reasons; undefined if one of them refers to a missing name or group. */
export function decodeReasons(
  encoded: unknown,
  { names, groups }: { readonly names: number; readonly groups: number },
): ReasonSums | undefined {
  if (!Array.isArray(encoded) || !encoded.every(isCount) || encoded.length % WIDTH !== 0) return undefined;
  const reasons = new ReasonSums();
  for (let i = 0; i < encoded.length; i += WIDTH) {
    const [feature = names, group = groups, reason = names, errorType = 0, count = 0] = encoded.slice(
      i,
      i + WIDTH,
    );
    if (feature >= names || group >= groups || reason >= names || errorType > names) return undefined;
    reasons.add({ feature, group, reason, errorType: errorType === 0 ? undefined : errorType - 1 }, count);
  }
  return reasons;
}
