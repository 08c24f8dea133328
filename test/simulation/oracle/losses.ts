import type { Range } from '../losses.ts';
import { countsLogs, isWithin, lostRanges, readMessages } from './messages.ts';
import type { World } from '../world.ts';
import type { Expected } from './expected.ts';

/**
 * Features of lost messages need not be counted, unless a repetition is in another message. A batch that was counted from a topic that
 * was then lost may count again from the next topic, because each epoch has its own window of duplicates.
 */
export function allowLosses(world: World, expected: Map<string, Expected>): Map<string, Expected> {
  if (world.losses.length + world.lostLogs.length === 0) return expected;
  const lost = new Set<string>();
  const timesKept = new Map<string, number>();
  for (const one of countsLogs(world)) {
    const [gone, kept] = splitNames(readMessages(one.log), lostRanges(world, one));
    for (const name of gone) lost.add(name);
    for (const name of kept) timesKept.set(name, (timesKept.get(name) ?? 0) + 1);
  }
  for (const [name, { must, may }] of expected) {
    const times = timesKept.get(name) ?? 0;
    expected.set(name, { must: lost.has(name) && times === 0 ? 0 : must, may: Math.max(may, times) });
  }
  return expected;
}

function splitNames(
  messages: ReturnType<typeof readMessages>,
  ranges: readonly Range[],
): [lost: Set<string>, kept: Set<string>] {
  const [lost, kept] = [new Set<string>(), new Set<string>()];
  for (const [offset, message] of messages.entries())
    for (const name of message?.names ?? []) (isWithin(ranges, offset) ? lost : kept).add(name);
  return [lost, kept];
}
