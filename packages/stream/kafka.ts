import { Kafka, logLevel, type LogEntry } from 'kafkajs';
import type { Log } from '#runtime';

/** Broker connection failures show within a second; an answer that takes longer than three is not waited for. */
const CONNECTION_TIMEOUT_MS = 1000;
const REQUEST_TIMEOUT_MS = 3000;

export type KafkaOptions = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  /**
   * How often kafkajs may repeat a request by itself. 0 for what produces: there each outcome must be seen, for a
   * time-out means that the message may be stored. What reads or commits may be repeated at will.
   */
  readonly retries: number;
  readonly log: Log;
};

export function createKafka({ brokers, clientId, retries, log }: KafkaOptions): Kafka {
  return new Kafka({
    brokers: [...brokers],
    clientId,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: { retries, initialRetryTime: 200, maxRetryTime: 2000 },
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ namespace, level, log: { message, error } }: LogEntry) => {
        // kafkajs logs every failed attempt as an error; whether it is one, the caller knows.
        const isWarning = level === logLevel.ERROR || level === logLevel.WARN;
        log[isWarning ? 'warn' : 'debug']({ namespace, error: error as unknown }, message);
      },
  });
}
