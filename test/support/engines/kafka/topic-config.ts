import kafkajs from 'kafkajs';
import { createKafka } from '#kafka';
import type { World } from '../../world.ts';

/** Sets one configuration of a topic, as an operator does, and resets the others to Kafka's defaults. */
export async function setTopicConfig(
  { config, log }: Pick<World, 'config' | 'log'>,
  topic: string,
  entry: { readonly name: string; readonly value: string },
): Promise<void> {
  const admin = createKafka({ access: config.kafka, clientId: 'test', retries: 5, log }).admin();
  await admin.connect();
  try {
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configEntries: [entry] }];
    await admin.alterConfigs({ validateOnly: false, resources });
  } finally {
    await admin.disconnect();
  }
}
