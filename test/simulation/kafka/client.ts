import type { Kafka } from 'kafkajs';
import { createAdmin } from './admin.ts';
import type { Client, KafkaWorld } from './connection.ts';
import { createConsumer } from './consumer.ts';
import { createProducer } from './producer.ts';

/** A client of the simulated brokers with the part of kafkajs that our code uses. */
export function createSimulatedKafka(world: KafkaWorld): Kafka {
  const { schedule, network, random, brokers } = world;
  const connect = (): Client => ({ schedule, network, random, brokers, connection: { arrivesAt: 0 } });
  const kafka = {
    producer: () => createProducer(connect()),
    consumer: ({ groupId }: { readonly groupId: string }) => createConsumer(connect(), groupId),
    admin: () => createAdmin(connect()),
  };
  return kafka as unknown as Kafka; // only what is used exists
}
