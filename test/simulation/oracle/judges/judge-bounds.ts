import { decodeProgress } from '../../../../services/unleash-bridge/mirror/progress.ts';
import { MAX_RECORDS } from '../../kafka/fetch.ts';
import { COUNTS, MIRROR_GROUP } from '../../names.ts';
import type { World } from '../../world.ts';

/**
 * Requests of a process that may wait at once. A worker has most: of two partitions four questions of a take-over, of the applications
 * one statement, and with each of these three four heartbeats, which begin every second and wait for three.
 */
const MAX_WAITING = 21;

/** No process has waited for too many answers at once since it started. */
export function* judgeWaiting({ ingests, workers, mirrors }: World): Generator<string> {
  for (const { server } of [...ingests, ...workers, ...mirrors])
    if (server.actor.mostWaiting > MAX_WAITING)
      yield `${server.name} has waited for ${server.actor.mostWaiting} answers at once`;
}

/** A worker and a mirror have at most the messages of one fetch in memory. The table of blocks and the commits show all of them. */
export function* judgeGathered({ clickhouse, brokers }: World): Generator<string> {
  for (const { content } of clickhouse)
    for (const { partition, from, to } of content.blocks)
      if (to - from > MAX_RECORDS) yield `block ${from} of partition ${partition} has ${to - from} messages`;
  for (const { partition, metadata } of brokers.groupOf(MIRROR_GROUP, COUNTS).accepted) {
    const { from = 0n, current } = decodeProgress(metadata) ?? {};
    const messages = Number((current?.to ?? from) - from);
    if (messages > MAX_RECORDS)
      yield `the mirror had ${messages} messages of partition ${partition} in one range`;
  }
}
