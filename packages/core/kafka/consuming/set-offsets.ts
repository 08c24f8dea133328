import type { Kafka } from 'kafkajs';
import { withAdmin } from '../topics/topics.ts';

/** Sets the committed offsets of a group without members, and removes their metadata. */
export async function setCommittedOffsets(
  kafka: Kafka,
  { groupId, topic }: { readonly groupId: string; readonly topic: string },
  offsets: ReadonlyMap<number, bigint>,
): Promise<void> {
  if (offsets.size === 0) return;
  const partitions = [...offsets].map(([partition, offset]) => ({ partition, offset: offset.toString() }));
  await withAdmin(kafka, (admin) => admin.setOffsets({ groupId, topic, partitions }));
}
