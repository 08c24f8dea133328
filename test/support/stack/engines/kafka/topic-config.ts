import kafkajs from 'kafkajs';
import { createKafka } from '#core/kafka';
import { eventually } from '../../../eventually.ts';
import type { World } from '../../../world.ts';

/**
 * Sets one configuration of a topic, as an operator does, and resets the others to Kafka's defaults. Kafka answers
 * before its brokers know the value: this waits until they show it.
 */
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
    const describe = () =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: [entry.name] }],
      });
    await eventually(
      describe,
      ({ resources: [shown] }) => shown?.configEntries[0]?.configValue === entry.value,
    );
  } finally {
    await admin.disconnect();
  }
}
