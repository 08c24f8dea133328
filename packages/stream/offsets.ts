import type { Kafka } from 'kafkajs';

export type CommittedOffset = { readonly offset: bigint; readonly metadata: string | null };

/** Reads what a consumer group has committed, with its metadata. Keeps one connection; close it. */
export type CommittedOffsets = {
  /** Undefined where nothing was ever committed. */
  read(topic: string, partition: number): Promise<CommittedOffset | undefined>;
  close(): Promise<void>;
};

export async function openCommittedOffsets(kafka: Kafka, groupId: string): Promise<CommittedOffsets> {
  const admin = kafka.admin({ retry: { retries: 5 } });
  await admin.connect();
  return {
    async read(topic, partition) {
      const [answer] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const committed = answer?.partitions.find((item) => item.partition === partition);
      if (committed === undefined || committed.offset === '-1') return undefined;
      return { offset: BigInt(committed.offset), metadata: committed.metadata };
    },
    close: () => admin.disconnect(),
  };
}
