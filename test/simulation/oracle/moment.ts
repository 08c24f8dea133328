import { decodeProgress } from '../../../services/unleash-bridge/mirror/progress.ts';
import { MAX_RECORDS } from '../kafka/fetch.ts';
import { COUNTS, MIRROR_GROUP } from '../names.ts';
import type { World } from '../world.ts';
import { expectedCounts } from './expected.ts';
import { mostOfCounters } from './judge-counters.ts';
import { judgeCounts } from './judge-counts.ts';

/** Judged every so many steps. */
export const MOMENT_STEPS = 400;

/**
 * Requests of a process that may wait at once: per consumer a fetch, or what each partition does, with a heartbeat and a look at the
 * offsets; per partition a send.
 */
const MAX_WAITING = 12;

/** What must hold while everything runs: nothing is stored more often than it was sent, and nothing gathers in a queue. */
export function judgeMoment(world: World): string[] {
  return [...judgeStored(world), ...judgeWaiting(world), ...judgeBlocks(world), ...judgeRanges(world)];
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

function* judgeWaiting({ ingests, workers, mirrors }: World): Generator<string> {
  for (const { server } of [...ingests, ...workers, ...mirrors])
    if (server.actor.waiting > MAX_WAITING)
      yield `${server.name} waits for ${server.actor.waiting} answers at once`;
}

/** A worker has at most the messages of one fetch in its memory. */
function* judgeBlocks({ clickhouse }: World): Generator<string> {
  for (const { content } of clickhouse)
    for (const { partition, from, to } of content.blocks)
      if (to - from > MAX_RECORDS) yield `block ${from} of partition ${partition} has ${to - from} messages`;
}

/** So has a mirror. */
function* judgeRanges({ brokers }: World): Generator<string> {
  for (const [partition, { metadata }] of brokers.groupOf(MIRROR_GROUP, COUNTS).committed) {
    const { from = 0n, current } = decodeProgress(metadata) ?? {};
    const messages = Number((current?.to ?? from) - from);
    if (messages > MAX_RECORDS)
      yield `the mirror has ${messages} messages of partition ${partition} in one range`;
  }
}
