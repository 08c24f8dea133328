import type { Admin, Kafka } from 'kafkajs';
import { createBackoff } from '#base/runtime';
import { errorCodeOf } from '../errors.ts';

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

/**
 * Rejects if Kafka hides a topic from this user, because an ACL is missing. Lists leave such a topic out, as if it did not exist.
 */
export async function rejectHidden(kafka: Kafka, topic: string): Promise<void> {
  try {
    await withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [topic] }), 0);
  } catch (error) {
    if (errorCodeOf(error) === 'TOPIC_AUTHORIZATION_FAILED') throw error;
  }
}

/**
 * Creates the missing topics and waits until they can be used. `changeTopic` is for existing topics. All are created before we ask
 * for one: from then on, kafkajs asks for it with each request, and any of several brokers may not know it yet.
 */
export async function createMissingTopics(kafka: Kafka, plans: readonly TopicPlan[]): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    for (const plan of plans) {
      await admin.createTopics({
        // kafkajs itself waits for a leader, but gives up if the broker does not know its own new topic yet.
        waitForLeaders: false,
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
    for (const { topic, partitions } of plans) await untilHosted(admin, topic, partitions);
  });
}

const LEADER_DEADLINE_MS = 20_000;

/** Resolves when a topic has at least this many partitions and each has a leader that answers. */
export async function untilHosted(admin: Admin, topic: string, minPartitions: number): Promise<void> {
  const backoff = createBackoff({ firstMs: 20, maxMs: 500 });
  const deadline = Date.now() + LEADER_DEADLINE_MS;
  while (!(await isHosted(admin, topic, minPartitions))) {
    if (Date.now() > deadline)
      throw new Error(`the topic ${topic} was not ready in ${LEADER_DEADLINE_MS} ms`);
    await backoff.wait();
  }
}

async function isHosted(admin: Admin, topic: string, minPartitions: number): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics.flatMap((found) => (found.name === topic ? found.partitions : []));
    if (partitions.length < minPartitions || partitions.some(({ leader }) => leader < 0)) return false;
    // A broker names itself the leader shortly before it hosts the partition, and rejects messages until then.
    await fetchWatermarks(admin, topic);
    return true;
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'KafkaJSRequestTimeoutError';
    if (isLate || NOT_YET.has(errorCodeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Error codes of a broker that is still creating the topic. */
const NOT_YET: ReadonlySet<string> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
]);

/** Whether a request failed because its topic was never created. */
export function isMissingTopic(error: unknown): boolean {
  return errorCodeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
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
  return withAdmin(kafka, (admin) => fetchWatermarks(admin, topic));
}

/** The first offset of each partition that was appended at or after a time; its end if there is none. */
export async function readOffsetsAt(
  kafka: Kafka,
  topic: string,
  epochMs: number,
): Promise<Map<number, bigint>> {
  return withAdmin(kafka, async (admin) => {
    const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, epochMs);
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
  });
}

/** Settings for a caller that waits: a broker that is unreachable is asked for three to five seconds more. */
export async function readWatermarksSoon(kafka: Kafka, topic: string): Promise<Map<number, Watermarks>> {
  return withAdmin(kafka, (admin) => fetchWatermarks(admin, topic), 4);
}

/** First offset and end of each partition, by a connection that is open. */
export async function fetchWatermarks(admin: Admin, topic: string): Promise<Map<number, Watermarks>> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return new Map(
    offsets.map(({ partition, low, high }) => [partition, { low: BigInt(low), high: BigInt(high) }]),
  );
}

export async function withAdmin<T>(
  kafka: Kafka,
  work: (admin: Admin) => Promise<T>,
  retries = 5,
): Promise<T> {
  const admin = kafka.admin({ retry: { retries } });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}
