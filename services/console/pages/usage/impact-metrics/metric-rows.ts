import { list } from '#base/words';
import { formatCount, formatMeasured } from '../../../state/format.ts';
import { hasWords, searchable } from '../../../state/search.ts';
import type { ImpactMetric } from '../../../types.ts';

/** Whether its name, applications and flags have the words of a search. */
export function isFound(
  { metric, help, applications, features }: ImpactMetric,
  words: readonly string[],
): boolean {
  return hasWords(searchable([metric, help, ...applications, ...features]), words);
}

/** What it measured in the last 24 hours: a sum, a mean, or the last value of a gauge. */
export function lastDayOf({ type, value, observations }: ImpactMetric): string {
  if (value === null) return '–';
  if (type === 'counter') return formatCount(value);
  if (type === 'gauge') return `now ${formatMeasured(value)}`;
  return observations === 0 ? '–' : `mean ${formatMeasured(value / observations)}`;
}

/** Names in a line; `total` says how many there are. */
export function namesOf(names: readonly string[], total: number): string {
  return list([...names, ...(total > names.length ? [`${formatCount(total - names.length)} more`] : [])]);
}
