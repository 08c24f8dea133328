import type { EachBatchPayload } from 'kafkajs';
import { createBackoff } from '#base/runtime';
import { errorCodeOf } from '../errors.ts';
import { type Generation, LostPartition } from './membership.ts';

/** Membership in the consumer group while a batch is handled. A generation lasts from one join to the next rebalance. */
export type Group = {
  /** Counts joins and losses in this process. The state of a partition is valid only within one generation. */
  readonly generation: number;
  /** Throws LostPartition if the group has moved on. */
  check(): void;
  /** Whether the consumer wants to stop: finish the block, but do not wait for an engine that is unreachable. */
  isStopping(): boolean;
  /** Sends a heartbeat to the coordinator; throws LostPartition if we are no longer a member. */
  heartbeat(): Promise<void>;
  /** Commits an offset with its metadata ('' for none). Retries while the broker is briefly unavailable; throws LostPartition. */
  commit(offset: bigint, metadata: string): Promise<void>;
};

export function joinedGroup(payload: EachBatchPayload, generation: Generation): Group {
  const { topic, partition } = payload.batch;
  return {
    generation: generation.number,
    check: generation.check,
    isStopping: () => !payload.isRunning(),
    heartbeat: () => ignoreOutage(payload.heartbeat()),
    async commit(offset, metadata) {
      // The types of kafkajs omit the metadata; its protocol sends it.
      const partitions = [{ partition, offset: offset.toString(), metadata }];
      const committed = { topics: [{ topic, partitions }] };
      const backoff = createBackoff({ firstMs: 50, maxMs: 1000 });
      for (;;) {
        generation.check();
        try {
          await payload.commitOffsetsIfNecessary(committed);
          return;
        } catch (error) {
          if (isGroupError(error) || !payload.isRunning()) throw new LostPartition({ cause: error });
          await backoff.wait();
        }
      }
    },
  };
}

const GROUP_ERRORS: ReadonlySet<string> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'FENCED_INSTANCE_ID',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/**
 * kafkajs looks for the coordinator only when it joins, and would ask one that has moved or left the cluster for ever. A single
 * broker that is unreachable looks like a pause, so we wait for it.
 */
function isGroupError(error: unknown): boolean {
  const hasLeft = error instanceof Error && error.name === 'KafkaJSBrokerNotFound';
  return hasLeft || GROUP_ERRORS.has(errorCodeOf(error) ?? '');
}

async function ignoreOutage(heartbeat: Promise<void>): Promise<void> {
  try {
    await heartbeat;
  } catch (error) {
    if (isGroupError(error)) throw new LostPartition({ cause: error });
  }
}
