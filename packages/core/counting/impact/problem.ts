import { showValue } from '../refusal-sample.ts';
import type { RefusalReason } from '../refusals.ts';

/** Why a sample is refused, and the value that shows it: short and printable. */
export type SampleProblem = { readonly reason: RefusalReason; readonly sample: string };

/** A member with a wrong type or value. */
export function invalidMember(member: string, value: unknown): SampleProblem {
  if (typeof value === 'string') return { reason: 'invalid_sample', sample: showValue(member, value) };
  const shown = typeof value === 'number' ? value : value === null ? 'null' : typeof value;
  return { reason: 'invalid_sample', sample: showValue(member, String(shown)) };
}
