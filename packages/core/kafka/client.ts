import './ended-sockets.ts';
import './producing/growing-buffers.ts';
import './producing/idle-queues.ts';
import './consuming/steady-fetches.ts';
import { Kafka, logLevel, type LogEntry, type SASLOptions } from 'kafkajs';
import type { Config, Log } from '#base/runtime';
import { createTokenProvider } from './oauth-token.ts';

/** A failed connection shows within a second. An answer may take three seconds. */
const CONNECTION_TIMEOUT_MS = 1000;
const REQUEST_TIMEOUT_MS = 3000;

export type KafkaOptions = {
  /** The brokers' addresses and the login. */
  readonly access: Pick<Config['kafka'], 'brokers' | 'tls' | 'sasl'>;
  readonly clientId: string;
  /**
   * How often kafkajs may repeat a request by itself. Producers use 0: each outcome must be visible, because after a time-out
   * the message may be stored. Reads and commits may be repeated freely.
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
        // kafkajs logs each failed attempt as an error, but only the caller knows whether it is one. An unexpected error code
        // reaches the caller as an exception, who logs it. Some are expected: a topic to be created may already exist.
        const isAnswer = namespace === 'Connection' && message.startsWith('Response ');
        const isWarning = (level === logLevel.ERROR || level === logLevel.WARN) && !isAnswer;
        log[isWarning ? 'warn' : 'debug']({ namespace, error: error as unknown }, message);
      },
  });
}

function saslOptions(sasl: NonNullable<Config['kafka']['sasl']>): SASLOptions {
  const { username, password } = sasl;
  switch (sasl.mechanism) {
    case 'OAUTHBEARER':
      return { mechanism: 'oauthbearer', oauthBearerProvider: createTokenProvider(sasl) };
    case 'PLAIN':
      return { mechanism: 'plain', username, password };
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', username, password };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', username, password };
  }
}
