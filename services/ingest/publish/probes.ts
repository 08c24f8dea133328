import { randomUUID } from 'node:crypto';
import { CountSums, CountsEncoder, encodeRegistrations } from '#core/counting';

/** An empty batch. Only a send can show whether a partition accepts messages. */
export function countsProbe(): Uint8Array {
  const envelope = {
    batchId: randomUUID(),
    receivedAt: Date.now(),
    tokenId: 'probe',
    traceparent: undefined,
  };
  return new CountsEncoder().encode({ ...envelope, received: 0 }, new CountSums(), []);
}

export function applicationsProbe(): string {
  return encodeRegistrations([]);
}
