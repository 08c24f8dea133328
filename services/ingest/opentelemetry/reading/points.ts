import type { Found, FoundPoint } from './found.ts';
import { NO_ATTRIBUTES } from './mapping.ts';
import type { BodyPlace } from './place.ts';

/** The names of the enum, by its numbers. */
export const TEMPORALITIES = [
  'AGGREGATION_TEMPORALITY_UNSPECIFIED',
  'AGGREGATION_TEMPORALITY_DELTA',
  'AGGREGATION_TEMPORALITY_CUMULATIVE',
] as const;
const [DELTA, CUMULATIVE] = [1, 2];

/** Only monotonic sums count evaluations. */
export function kindOfSum(temporality: number, isMonotonic: boolean): FoundPoint['kind'] {
  if (!isMonotonic) return 'other';
  if (temporality === DELTA) return 'delta';
  return temporality === CUMULATIVE ? 'cumulative' : 'other';
}

const NO_RECORDED_VALUE = 1;

/** Whether a point only says that its series has no value any more. */
export function hasNoValue(flags: number): boolean {
  return (flags & NO_RECORDED_VALUE) !== 0;
}

/** A point of a counter that is no monotonic sum. Its fields may be others, so none is read. */
export function unreadablePoint(metric: string, place: BodyPlace): Found & { readonly point: FoundPoint } {
  return {
    place,
    at: 0,
    attributes: NO_ATTRIBUTES,
    point: { metric, kind: 'other', startedAt: 0, value: NaN },
  };
}
