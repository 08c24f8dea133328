import type { BatchNames } from '../names/batch-names.ts';
import { hashOfName, hashOfPair } from '../names/name-hash.ts';
import type { ImpactValue } from './impact-sample.ts';

/** Of one histogram in a clock hour. Instances of two versions may have different ones, and a relay forwards both. */
export const MAX_LISTS_OF_BOUNDS = 10;

/** The bounds of the buckets of a sample as text; undefined if it has none. */
export function boundsOf(value: ImpactValue): string | undefined {
  return value.type === 'histogram' ? value.buckets.map(({ bound }) => bound).join(' ') : undefined;
}

/** Whether the list of bounds is known for its series, or there is room: the row of a series has each bound that was ever sent. */
export function admitBounds(names: BatchNames, series: number, bounds: string): boolean {
  const list = hashOfPair(series, hashOfName(bounds));
  if (names.isAdmitted('bounds', list)) return true;
  for (let place = 1; place <= MAX_LISTS_OF_BOUNDS; place += 1) {
    const taken = hashOfPair(series, place);
    if (names.isAdmitted('bounds', taken)) continue;
    return names.admit('bounds', taken) && names.admit('bounds', list);
  }
  return false;
}
