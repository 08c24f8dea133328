import { randomUUID } from 'node:crypto';
import { CountSums, CountsEncoder, encodeRegistrations } from '#counting';

/** A batch of nothing: the only way to learn whether a partition takes messages is to send one. */
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
