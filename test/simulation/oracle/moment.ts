import type { World } from '../world.ts';
import { expectedCounts } from './expected.ts';
import { judgeWaiting } from './judges/judge-bounds.ts';
import { mostOfCounters } from './judges/judge-counters.ts';
import { judgeCounts } from './judges/judge-counts.ts';

/** Judged every so many steps. */
export const MOMENT_STEPS = 400;

/** What must hold while everything runs: nothing is stored more often than it was sent, and nothing gathers in a queue. */
export function judgeMoment(world: World): string[] {
  return [...judgeStored(world), ...judgeWaiting(world)];
}

/** After a loss, evaluations may count again. */
function* judgeStored(world: World): Generator<string> {
  if (world.losses.length + world.lostLogs.length > 0) return;
  const expected = expectedCounts(world);
  const atMost = new Map(Array.from(expected, ([item, { may }]) => [item, { must: 0, may }]));
  for (const { name, content } of world.clickhouse)
    for (const text of [...judgeCounts(world, content, atMost), ...mostOfCounters(world, content)])
      yield `${name}, at step ${world.schedule.steps}: ${text}`;
}
