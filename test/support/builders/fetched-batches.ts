import type { FetchedBatch } from '#core/kafka';
import { aCountsValue, aMetric } from './builders.ts';

export type Message = { readonly value: Uint8Array; readonly appendedAt: number };

export const RECEIVED_AT = Date.UTC(2026, 10, 21, 10, 15);

/** One yes, received and appended at a given time. */
export function aMessage(batchId: string, environment = 'production', at = RECEIVED_AT): Message {
  const metrics = [aMetric({ yes: 1, environment })];
  return { value: aCountsValue({ batchId, receivedAt: at, metrics }), appendedAt: at };
}

type Fetched = {
  readonly from: number;
  readonly onCommit: (offset: bigint, metadata: string) => void;
};

/** The messages as a consumer fetched them from partition 0. */
export function aFetchedBatch(messages: readonly Message[], { from, onCommit }: Fetched): FetchedBatch {
  return {
    partition: 0,
    from: BigInt(from),
    position: BigInt(from + messages.length),
    messages: messages.map((message, index) => ({ ...message, offset: BigInt(from + index) })),
    lag: 0,
    group: {
      generation: 1,
      check: () => undefined,
      isStopping: () => false,
      heartbeat: () => Promise.resolve(),
      commit(offset, metadata) {
        onCommit(offset, metadata);
        return Promise.resolve();
      },
    },
    advance: () => undefined,
    postpone: () => undefined,
  };
}
