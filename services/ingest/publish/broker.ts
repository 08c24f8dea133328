import { type MessageProducer, createKafka, createMessageProducer, readPartitionCount } from '#kafka';
import type { Config, Log } from '#runtime';

/** Where ingest puts its messages. */
export type Broker = MessageProducer & {
  /** How many partitions a topic has; rejects while Kafka does not answer. */
  readPartitionCount(topic: string): Promise<number>;
};

/** Without retries of the client: each outcome of a send must be seen. */
export function createKafkaBroker(config: Config, log: Log): Broker {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-ingest', retries: 0, log });
  return {
    ...createMessageProducer(kafka),
    readPartitionCount: (topic) => readPartitionCount(kafka, topic),
  };
}
