import { sumOf } from '../../../../state/chart/counts.ts';
import type { Usage } from '../../../../state/usage.ts';

/**
 * The evaluations of a group in the last complete hour. Undefined if they are unknown, or if the window shows no hours or ends
 * before now.
 */
export function lastHourOf(
  { interval, starts, end, completeUntil, series }: Usage,
  group: string | null,
): number | undefined {
  if (interval !== 'hour' || end <= completeUntil) return undefined;
  const growing = starts.findIndex((_, at) => (starts[at + 1] ?? end) > completeUntil);
  if (growing < 1) return undefined;
  const one = series.find((item) => item.group === group);
  if (one === undefined) return 0;
  return sumOf([one.yes, one.no, one.unknown].map((counts) => counts[growing - 1] ?? null)) ?? undefined;
}
