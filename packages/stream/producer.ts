import { type Kafka, type Message, Partitioners, type Producer, type RecordMetadata } from 'kafkajs';

/**
 * What became of messages handed to Kafka. `not-stored` is certain; with `unknown` the request may or may not have
 * been stored, now or when a frozen broker thaws.
 */
export type SendOutcome =
  { readonly outcome: 'stored' } | { readonly outcome: 'not-stored' | 'unknown'; readonly reason: string };

export type OutgoingMessage = {
  readonly key?: string;
  readonly value: string | Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends to one partition of one topic at a time: kafkajs can lose messages of a send that spans brokers (#1303). */
export type MessageProducer = {
  send(topic: string, partition: number, messages: readonly OutgoingMessage[]): Promise<SendOutcome>;
  disconnect(): Promise<void>;
};

export function createMessageProducer(kafka: Kafka): MessageProducer {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: false,
    retry: { retries: 0 },
  });
  const connect = connectOnce(producer);
  return {
    async send(topic, partition, messages) {
      try {
        await connect();
      } catch (error) {
        return { outcome: 'not-stored', reason: reasonOf(error) };
      }
      try {
        const answers = await producer.send({
          topic,
          acks: -1,
          timeout: 2500,
          messages: messages.map((message) => toMessage(message, partition)),
        });
        return checkAnswers(answers, topic, partition);
      } catch (error) {
        return { outcome: isSurelyNotStored(error) ? 'not-stored' : 'unknown', reason: reasonOf(error) };
      }
    },
    disconnect: () => producer.disconnect(),
  };
}

function toMessage({ key, value, headers }: OutgoingMessage, partition: number): Message {
  const bytes = value instanceof Uint8Array ? Buffer.from(value) : value;
  return { key: key ?? null, value: bytes, partition, ...(headers === undefined ? {} : { headers }) };
}

function connectOnce(producer: Producer): () => Promise<void> {
  let connection: Promise<void> | undefined;
  return async () => {
    connection ??= producer.connect();
    try {
      await connection;
    } catch (error) {
      connection = undefined;
      throw error;
    }
  };
}

/** A success must name our partition with error code 0 and an offset; an empty answer was seen for lost messages. */
function checkAnswers(answers: readonly RecordMetadata[], topic: string, partition: number): SendOutcome {
  const [answer] = answers;
  const isStored =
    answers.length === 1 &&
    answer?.topicName === topic &&
    answer.partition === partition &&
    answer.errorCode === 0 &&
    /^\d+$/.test(answer.baseOffset ?? '');
  return isStored
    ? { outcome: 'stored' }
    : { outcome: 'unknown', reason: 'the answer does not name the partition' };
}

/** Broker answers that refuse a produce request before anything is appended (Kafka protocol, error codes). */
const REFUSALS: ReadonlySet<string> = new Set([
  'CORRUPT_MESSAGE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_FOR_PARTITION',
  'FENCED_LEADER_EPOCH',
  'MESSAGE_TOO_LARGE',
  'INVALID_TOPIC_EXCEPTION',
  'RECORD_LIST_TOO_LARGE',
  'NOT_ENOUGH_REPLICAS',
  'INVALID_REQUIRED_ACKS',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'UNSUPPORTED_VERSION',
  'POLICY_VIOLATION',
]);

/** Errors of kafkajs that come up before a produce request is written. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSBrokerNotFound',
  'KafkaJSSASLAuthenticationError',
]);

function isSurelyNotStored(error: unknown): boolean {
  const cause = rootCause(error);
  if (!(cause instanceof Error)) return false;
  if ('type' in cause && typeof cause.type === 'string') return REFUSALS.has(cause.type);
  // A connection that could not be made carried nothing; one that was closed may have (its own class below).
  if (cause.name === 'KafkaJSConnectionError') return true;
  return NOT_WRITTEN.has(cause.name);
}

/** kafkajs wraps: the outermost error says how often it tried, the innermost what happened. */
function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause;
}

function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  if (!(cause instanceof Error)) return 'unknown error';
  return 'type' in cause && typeof cause.type === 'string' ? cause.type : cause.name;
}
