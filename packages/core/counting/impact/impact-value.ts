import { isCount, isRecord } from '../encoding/guards.ts';
import { MAX_VALUE, billionthsOf } from './billionths.ts';
import type { Bucket, ImpactType, ImpactValue } from './impact-sample.ts';
import { type SampleProblem, invalidMember } from './problem.ts';

/** The usual histograms have 12. */
export const MAX_BUCKETS = 100;

/** The value of a sample, in the form that belongs to its type. */
export function readImpactValue(
  type: ImpactType,
  sample: Record<string, unknown>,
): ImpactValue | SampleProblem {
  if (type === 'histogram') return readHistogram(sample);
  const value = numberOf(sample['value']);
  const isValid = type === 'gauge' ? Number.isFinite(value) : isSummable(value) && value >= 0;
  if (!isValid) return invalidMember('value', sample['value']);
  return type === 'gauge' ? { type, value: Number(value) } : { type, total: billionthsOf(Number(value)) };
}

/** As in Unleash, text may be a number. Null is none: it is how JSON writes NaN. */
function numberOf(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
}

function readHistogram({ buckets, ...sample }: Record<string, unknown>): ImpactValue | SampleProblem {
  const [count, sum] = [numberOf(sample['count']), numberOf(sample['sum'])];
  if (!isCount(count)) return invalidMember('count', sample['count']);
  if (!isSummable(sum)) return invalidMember('sum', sample['sum']);
  if (!Array.isArray(buckets)) return invalidMember('buckets', buckets);
  if (buckets.length > MAX_BUCKETS)
    return { reason: 'too_many_buckets', sample: `${buckets.length} buckets` };
  const separate = separateBuckets(buckets, count);
  if (separate === undefined)
    return { reason: 'invalid_sample', sample: 'buckets that do not grow to the count' };
  return { type: 'histogram', total: billionthsOf(sum), observations: count, buckets: separate };
}

/**
 * Each bucket alone. SDKs send how many observations are at most the bound, as Prometheus does. Such counts cannot be added up if
 * two senders have different bounds.
 */
function separateBuckets(buckets: readonly unknown[], count: number): Bucket[] | undefined {
  const bounds: { readonly bound: number; readonly below: number }[] = [];
  for (const bucket of buckets) {
    if (!isRecord(bucket)) return undefined;
    const below = numberOf(bucket['count']);
    const bound = bucket['le'] === '+Inf' ? Infinity : numberOf(bucket['le']);
    if (!isCount(below) || typeof bound !== 'number' || Number.isNaN(bound)) return undefined;
    if (bound !== Infinity) bounds.push({ bound, below });
    else if (below !== count) return undefined;
  }
  bounds.sort((a, b) => a.bound - b.bound).push({ bound: Infinity, below: count });
  const separate: Bucket[] = [];
  let before = { bound: -Infinity, below: 0 };
  for (const next of bounds) {
    if (next.below < before.below || next.bound === before.bound) return undefined;
    const bound = next.bound === Infinity ? '+Inf' : String(next.bound);
    separate.push({ bound, count: next.below - before.below });
    before = next;
  }
  return separate;
}

function isSummable(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_VALUE;
}
