import type { Admin, Kafka } from 'kafkajs';

export type TopicPlan = {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
  readonly config: Readonly<Record<string, string>>;
};

/** Names of the topics that exist. */
export async function readTopics(kafka: Kafka): Promise<Set<string>> {
  return withAdmin(kafka, async (admin) => new Set(await admin.listTopics()));
}

/** Creates the topics that are missing. Never changes an existing one. */
export async function createMissingTopics(kafka: Kafka, plans: readonly TopicPlan[]): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    for (const plan of plans) {
      await admin.createTopics({
        waitForLeaders: true,
        timeout: 10_000,
        topics: [
          {
            topic: plan.topic,
            numPartitions: plan.partitions,
            replicationFactor: plan.replicationFactor,
            configEntries: Object.entries(plan.config).map(([name, value]) => ({ name, value })),
          },
        ],
      });
    }
  });
}

/** How many partitions a topic has; rejects if it does not exist. */
export async function readPartitionCount(kafka: Kafka, topic: string): Promise<number> {
  return withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const count = topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
    if (count === 0) throw new Error('the topic has no partitions');
    return count;
  });
}

export type Watermarks = { readonly low: bigint; readonly high: bigint };

/** First offset and end of each partition of a topic. */
export async function readWatermarks(kafka: Kafka, topic: string): Promise<Map<number, Watermarks>> {
  return withAdmin(kafka, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    return new Map(
      offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]),
    );
  });
}

async function withAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin({ retry: { retries: 5 } });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
