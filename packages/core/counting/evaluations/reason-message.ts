import { isCount } from '../encoding/guards.ts';
import { decodeIndex, encodeIndex } from '../encoding/optional-index.ts';
import { ReasonSums } from './reason-sums.ts';

/** The numbers of one sum: feature, group, reason, error type and provider (which may be missing), count. */
const WIDTH = 6;

/** The reasons in the head of a message, as numbers. They refer to its names and groups. */
export function encodeReasons(reasons: ReasonSums): number[] {
  const encoded: number[] = [];
  for (const { feature, group, reason, errorType, provider, count } of reasons.all())
    encoded.push(feature, group, reason, encodeIndex(errorType), encodeIndex(provider), count);
  return encoded;
}

/** The reasons; undefined if one of them refers to a missing name or group. */
export function decodeReasons(
  encoded: unknown,
  { names, groups }: { readonly names: number; readonly groups: number },
): ReasonSums | undefined {
  if (!Array.isArray(encoded) || !encoded.every(isCount) || encoded.length % WIDTH !== 0) return undefined;
  const reasons = new ReasonSums();
  for (let i = 0; i < encoded.length; i += WIDTH) {
    const { [i]: feature = names, [i + 1]: group = groups, [i + 2]: reason = names } = encoded;
    const { [i + 3]: errorType = 0, [i + 4]: provider = 0, [i + 5]: count = 0 } = encoded;
    if (feature >= names || group >= groups || reason >= names) return undefined;
    if (Math.max(errorType, provider) > names) return undefined;
    const outcome = { reason, errorType: decodeIndex(errorType), provider: decodeIndex(provider) };
    reasons.add({ feature, group }, outcome, count);
  }
  return reasons;
}
