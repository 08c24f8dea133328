import { Kafka, logLevel } from 'kafkajs';
import { type Config, withDeadline } from '#base/runtime';

/** A busy or stopped broker may keep the topics. That is no fault of the test. */
const DEADLINE_MS = 10_000;

/**
 * Deletes the topics and groups whose names begin with this prefix. Otherwise hundreds of worlds would leave
 * thousands of partitions in a broker that tests share. Never rejects.
 */
export async function forgetTopics({ brokers }: Config['kafka'], prefix: string): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING, retry: { retries: 1 } });
  const admin = kafka.admin();
  const work = async (): Promise<void> => {
    await admin.connect();
    const isOurs = (name: string): boolean => name.startsWith(prefix);
    const topics = (await admin.listTopics()).filter(isOurs);
    await admin.deleteTopics({ topics, timeout: DEADLINE_MS });
    const { groups } = await admin.listGroups();
    await admin.deleteGroups(groups.map(({ groupId }) => groupId).filter(isOurs));
  };
  await Promise.allSettled([withDeadline(work(), DEADLINE_MS, 'Kafka keeps the topics')]);
  await Promise.allSettled([admin.disconnect()]);
}
