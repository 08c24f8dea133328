import { keyOfSender, partitionOfSender, senderOf } from '#core/counting';

/** The partition of the batches with an idempotency key. */
export function partitionOfKey(idempotencyKey: string, partitions: number): number {
  return partitionOfSender(keyOfSender(senderOf({ idempotencyKey })?.name ?? ''), partitions);
}

/** An idempotency key whose batches go to this partition. */
export function senderTo(partition: number, partitions: number): string {
  for (let i = 0; ; i += 1) {
    const idempotencyKey = `patient-relay-${i}`;
    if (partitionOfKey(idempotencyKey, partitions) === partition) return idempotencyKey;
  }
}
