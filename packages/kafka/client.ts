import './idle-queues.ts';
import { Kafka, logLevel, type LogEntry, type SASLOptions } from 'kafkajs';
import type { Config, Log } from '#runtime';

/** Broker connection failures show within a second; an answer that takes longer than three is not waited for. */
const CONNECTION_TIMEOUT_MS = 1000;
const REQUEST_TIMEOUT_MS = 3000;

export type KafkaOptions = {
  /** Where the brokers are and how to get in. */
  readonly access: Pick<Config['kafka'], 'brokers' | 'tls' | 'sasl'>;
  readonly clientId: string;
  /**
   * How often kafkajs may repeat a request by itself. 0 for what produces: there each outcome must be seen, for a
   * time-out means that the message may be stored. What reads or commits may be repeated at will.
   */
  readonly retries: number;
  readonly log: Log;
};

export function createKafka({ access, clientId, retries, log }: KafkaOptions): Kafka {
  return new Kafka({
    brokers: [...access.brokers],
    clientId,
    ...(access.tls === undefined ? {} : { ssl: { ...access.tls } }),
    ...(access.sasl === undefined ? {} : { sasl: saslOptions(access.sasl) }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: { retries, initialRetryTime: 200, maxRetryTime: 2000 },
    logLevel: logLevel.WARN,
    logCreator:
      () =>
      ({ namespace, level, log: { message, error } }: LogEntry) => {
        // kafkajs logs every failed attempt as an error; whether it is one, the caller knows. An answer with an error code
        // is logged by whoever gets it as an exception and did not expect it: a topic that exists need not be created.
        const isAnswer = namespace === 'Connection' && message.startsWith('Response ');
        const isWarning = (level === logLevel.ERROR || level === logLevel.WARN) && !isAnswer;
        log[isWarning ? 'warn' : 'debug']({ namespace, error: error as unknown }, message);
      },
  });
}

function saslOptions({ mechanism, username, password }: NonNullable<Config['kafka']['sasl']>): SASLOptions {
  switch (mechanism) {
    case 'PLAIN':
      return { mechanism: 'plain', username, password };
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', username, password };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', username, password };
  }
}
