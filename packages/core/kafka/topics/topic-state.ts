import kafkajs, { type Admin, type Kafka } from 'kafkajs';
import { untilHosted, withAdmin } from './topics.ts';

// Node finds only some of the names that kafkajs exports.
const { ConfigResourceTypes, ConfigSource } = kafkajs;

/** The current state of a topic. */
export type TopicState = {
  readonly topic: string;
  /** The brokers that have each partition. */
  readonly replicas: readonly (readonly number[])[];
  /** Every setting that is in force. */
  readonly config: Readonly<Record<string, string>>;
};

/** The wanted changes; settings that are not named stay as they are. */
export type TopicChange = {
  readonly topic: string;
  /** More partitions than there are; undefined to keep their number. */
  readonly partitions: number | undefined;
  readonly config: Readonly<Record<string, string>>;
};

/** The version of a broker. Kafka does not report its release, but before version 4 brokers have a setting that names it: `3.9-IV0`. */
export async function readBrokerVersion(kafka: Kafka): Promise<string> {
  return withAdmin(kafka, async (admin) => {
    const { brokers } = await admin.describeCluster();
    const [broker] = brokers;
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [
        {
          type: ConfigResourceTypes.BROKER,
          name: String(broker?.nodeId ?? 0),
          configNames: ['inter.broker.protocol.version'],
        },
      ],
    });
    const [setting] = resources.flatMap(({ configEntries }) => configEntries);
    return setting?.configValue ?? '4 or later';
  });
}

/** Topics that exist, and the brokers of their cluster. */
export async function readTopicStates(
  kafka: Kafka,
  topics: readonly string[],
): Promise<{ readonly states: TopicState[]; readonly brokers: number[] }> {
  return withAdmin(kafka, async (admin) => {
    const { brokers } = await admin.describeCluster();
    const found = (await admin.fetchTopicMetadata({ topics: [...topics] })).topics;
    const states = await Promise.all(
      found.map(async ({ name, partitions }) => {
        const entries = (await describeTopic(admin, name)).map((entry) => [
          entry.configName,
          entry.configValue,
        ]);
        const replicas = partitions
          .toSorted((a, b) => a.partitionId - b.partitionId)
          .map((one) => one.replicas);
        return { topic: name, replicas, config: Object.fromEntries(entries) as Record<string, string> };
      }),
    );
    return { states, brokers: brokers.map(({ nodeId }) => nodeId).toSorted((a, b) => a - b) };
  });
}

/** May be repeated. */
export async function changeTopic(kafka: Kafka, { topic, partitions, config }: TopicChange): Promise<void> {
  await withAdmin(kafka, async (admin) => {
    if (Object.keys(config).length > 0) await setConfig(admin, topic, config);
    if (partitions === undefined) return;
    await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] });
    await untilHosted(admin, topic, partitions);
  });
}

/** kafkajs has only the request that resets every setting of a topic that it does not name. */
async function setConfig(admin: Admin, topic: string, config: TopicChange['config']): Promise<void> {
  const own = (await describeTopic(admin, topic)).flatMap(({ configName, configValue, configSource }) =>
    configSource === ConfigSource.TOPIC_CONFIG ? [[configName, configValue] as const] : [],
  );
  const configEntries = Object.entries({ ...Object.fromEntries(own), ...config }).map(([name, value]) => ({
    name,
    value,
  }));
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }],
  });
}

async function describeTopic(admin: Admin, topic: string) {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
  });
  return resources.flatMap(({ configEntries }) => configEntries);
}
