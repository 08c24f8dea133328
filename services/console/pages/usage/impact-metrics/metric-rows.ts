import { hasWords, searchable } from '../../../state/search.ts';
import type { ImpactMetric } from '../../../types.ts';

/** Whether its name, applications and flags have the words of a search. */
export function isFound(
  { metric, help, applications, features }: ImpactMetric,
  words: readonly string[],
): boolean {
  return hasWords(searchable([metric, help, ...applications, ...features]), words);
}
