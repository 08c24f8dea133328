import {
  type MessageProducer,
  type ProducerOptions,
  createKafka,
  createMessageProducer,
  readPartitionCount,
} from '#core/kafka';
import type { Config, Log } from '#base/runtime';

/** The message store that ingest publishes to. */
export type Broker = MessageProducer & {
  /** Returns the number of partitions of a topic; rejects while Kafka does not answer. */
  readPartitionCount(topic: string): Promise<number>;
};

/** Disables the client's own retries, because we must see the outcome of each send. */
export function createKafkaBroker(config: Config, log: Log, options: ProducerOptions = {}): Broker {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-ingest', retries: 0, log });
  return {
    ...createMessageProducer(kafka, options),
    readPartitionCount: (topic) => readPartitionCount(kafka, topic),
  };
}
