import kafkajs, { type Admin, Kafka, Partitioners, logLevel } from 'kafkajs';
import { createKafka, createMessageProducer } from '#core/kafka';
import { inBackground } from '#base/runtime';
import { aCountsValue } from '../../../builders/builders.ts';
import { eventually } from '../../../eventually.ts';
import { aFreshMetric } from '../../../requests/post.ts';
import type { World } from '../../../world.ts';

/** A message of a topic. */
export type StoredMessage = {
  readonly key: string | undefined;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** The bytes of a batch received now: one metric with one yes. */
export function aFreshCountsValue(batchId: string): Uint8Array {
  const metrics = [aFreshMetric({ yes: 1 })];
  return aCountsValue({ batchId, receivedAt: Date.now(), metrics });
}

/** Writes values directly into one partition of the counts topic, without ingest. */
export async function appendCounts(
  world: World,
  values: readonly (string | Uint8Array | null)[],
  partition = 0,
): Promise<void> {
  await append(world, { topic: world.config.kafka.topics.counts, partition }, values);
}

/** Writes values directly into the first partition of the applications topic, without ingest. */
export async function appendApplications(world: World, values: readonly string[]): Promise<void> {
  await append(world, { topic: world.config.kafka.topics.applications, partition: 0 }, values);
}

/** Writes values directly into the topic of relay reports, without ingest. */
export async function appendRelayReports(world: World, values: readonly string[]): Promise<void> {
  await append(world, { topic: world.config.kafka.topics.relayReports, partition: 0 }, values);
}

async function append(
  world: World,
  { topic, partition }: { readonly topic: string; readonly partition: number },
  values: readonly (string | Uint8Array | null)[],
): Promise<void> {
  const { kafka } = world.config;
  const producer = createMessageProducer(
    createKafka({ access: kafka, clientId: 'test-producer', retries: 0, log: world.log }),
  );
  const messages = values.map((value) => ({ value }));
  const result = await producer.send(topic, partition, messages);
  await producer.disconnect();
  if (result.outcome !== 'stored') throw new Error(`not stored: ${result.reason}`);
}

/** Makes the times of messages those that their producer chooses, as if a broker had such a clock. */
export async function trustProducerTimes(world: World): Promise<void> {
  await withAdmin(quietKafka(world), (admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: kafkajs.ConfigResourceTypes.TOPIC,
          name: world.config.kafka.topics.counts,
          configEntries: [{ name: 'message.timestamp.type', value: 'CreateTime' }],
        },
      ],
    }),
  );
}

/** Writes a value into the first partition of the counts topic with an append time, after `trustProducerTimes`. */
export async function appendCountsAt(world: World, value: Uint8Array, appendedAt: number): Promise<void> {
  const producer = quietKafka(world).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({
    topic: world.config.kafka.topics.counts,
    acks: -1,
    messages: [{ value: Buffer.from(value), partition: 0, timestamp: String(appendedAt) }],
  });
  await producer.disconnect();
}

/** All messages of a topic. */
export async function readTopic(world: World, topic: string): Promise<StoredMessage[]> {
  const kafka = quietKafka(world);
  const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const expected = ends.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
  const messages: StoredMessage[] = [];
  if (expected === 0) return messages;
  const consumer = kafka.consumer({ groupId: `${topic}-reader-${Date.now()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    const running = consumer.run({
      eachMessage: ({ message: { key, value, headers = {} } }) => {
        const texts = Object.entries(headers).map(([name, text]) => [name, String(text)] as const);
        messages.push({ key: key?.toString(), value, headers: Object.fromEntries(texts) });
        if (messages.length === expected) resolve();
        return Promise.resolve();
      },
    });
    inBackground(running, reject);
  });
  await consumer.disconnect();
  return messages;
}

export type Position = { readonly offset: bigint; readonly metadata: string };

/** Commits an offset of a partition of the counts topic, by default 0, as a worker does. No worker may be in the group. */
export async function commitPosition(
  world: World,
  { offset, metadata }: Position,
  partition = 0,
): Promise<void> {
  const { groupPrefix, topics } = world.config.kafka;
  const topic = topics.counts;
  const consumer = quietKafka(world).consumer({ groupId: `${groupPrefix}-counts`, maxWaitTimeInMs: 100 });
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, () => {
      resolve();
    });
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    eachBatch: () => Promise.resolve(),
  });
  await joined;
  await consumer.commitOffsets([{ topic, partition, offset: offset.toString(), metadata }]);
  await consumer.disconnect();
}

/** The committed offset and metadata of partition 0 of the counts topic. */
export async function readPosition(world: World): Promise<Position | undefined> {
  const { groupPrefix, topics } = world.config.kafka;
  const answers = await withAdmin(quietKafka(world), (admin) =>
    admin.fetchOffsets({ groupId: `${groupPrefix}-counts`, topics: [topics.counts] }),
  );
  const found = answers[0]?.partitions.find(({ partition }) => partition === 0);
  return found === undefined || found.offset === '-1'
    ? undefined
    : { offset: BigInt(found.offset), metadata: found.metadata ?? '' };
}

/** The broker that leads a partition of the counts topic, as an index into the brokers of `ownKafkaCluster`. */
export async function readLeader(world: World, partition: number): Promise<number> {
  const partitions = await readPartitions(world, world.config.kafka.topics.counts);
  return leaderOf(partitions, partition);
}

/** The broker that coordinates the groups. In our engines the offsets topic has one partition. */
export async function readCoordinator(world: World): Promise<number> {
  return leaderOf(await readPartitions(world, '__consumer_offsets'), 0);
}

export type Replicas = {
  readonly partition: number;
  readonly leader: number;
  /** The followers, in the order in which they become the leader. */
  readonly followers: readonly number[];
};

/** The replicas of each partition of a topic, as indexes into the brokers of `ownKafkaCluster`. */
export async function readPartitions(world: World, topic: string): Promise<Replicas[]> {
  const { topics } = await withAdmin(quietKafka(world), (admin) =>
    admin.fetchTopicMetadata({ topics: [topic] }),
  );
  return (topics[0]?.partitions ?? []).map(({ partitionId, leader, replicas }) => ({
    partition: partitionId,
    leader: leader - 1,
    followers: replicas.filter((replica) => replica !== leader).map((replica) => replica - 1),
  }));
}

function leaderOf(partitions: readonly Replicas[], partition: number): number {
  const found = partitions.find((replicas) => replicas.partition === partition);
  if (found === undefined) throw new Error(`there is no partition ${partition}`);
  return found.leader;
}

async function withAdmin<T>(kafka: Kafka, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

function quietKafka(world: World): Kafka {
  return new Kafka({ brokers: [...world.config.kafka.brokers], logLevel: logLevel.NOTHING });
}

/** Deletes the counts topic, and waits until it is gone. */
export async function deleteCountsTopic(world: World): Promise<void> {
  await deleteTopic(world, world.config.kafka.topics.counts);
}

/** Deletes a topic, and waits until it is gone. */
export async function deleteTopic(world: World, topic: string): Promise<void> {
  await withAdmin(quietKafka(world), async (admin) => {
    await admin.deleteTopics({ topics: [topic] });
    await eventually(
      () => admin.listTopics(),
      (topics) => !topics.includes(topic),
    );
  });
}

/** Deletes the messages of partition 0 of the counts topic before an offset, as retention does. */
export async function forgetMessages(world: World, before: bigint): Promise<void> {
  const topic = world.config.kafka.topics.counts;
  await withAdmin(quietKafka(world), async (admin) => {
    await admin.fetchTopicOffsets(topic); // kafkajs deletes only in topics that it already knows
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: before.toString() }] });
  });
}
