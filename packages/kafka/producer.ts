import { type Kafka, type Message, Partitioners, type Producer, type RecordMetadata } from 'kafkajs';
import { errorCodeOf, rootCause } from './errors.ts';

/**
 * What became of messages handed to Kafka. `not-stored` is certain, and so is `too-large`: then the topic takes no batch as large
 * as these messages together, however often it is sent. With `unknown` the request may or may not have been stored, now
 * or when a frozen broker thaws.
 */
export type SendOutcome =
  | { readonly outcome: 'stored' }
  | { readonly outcome: 'not-stored' | 'too-large' | 'unknown'; readonly reason: string };

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

export function createMessageProducer(kafka: Pick<Kafka, 'producer'>): MessageProducer {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: false,
    retry: { retries: 0 },
  });
  const connection = createConnection(producer);
  return {
    async send(topic, partition, messages) {
      const attempt = connection.open();
      try {
        await attempt;
      } catch (error) {
        return { outcome: 'not-stored', reason: reasonOf(error) };
      }
      const request = { isEncoded: false };
      const onEncode = (): void => {
        request.isEncoded = true;
      };
      try {
        const answers = await producer.send({
          topic,
          acks: -1,
          timeout: 2500,
          messages: messages.map((message) => toMessage(message, partition, onEncode)),
        });
        if (isAnswerOf(answers, topic, partition)) return { outcome: 'stored' };
        return failure(request, 'the answer does not name the partition');
      } catch (error) {
        if (isHalfOpen(error)) await connection.drop(attempt);
        const reason = reasonOf(error);
        if (TOO_LARGE.has(reason)) return { outcome: 'too-large', reason };
        return failure({ isEncoded: request.isEncoded && !REJECTIONS.has(reason) }, reason);
      }
    },
    disconnect: () => producer.disconnect(),
  };
}

/**
 * kafkajs reads headers only when it encodes the request, just before it writes it, and a send of one partition ends only when
 * its request has: whatever a send ends with, a message that was not encoded by then is never written.
 */
function toMessage(
  { key, value, headers = {} }: OutgoingMessage,
  partition: number,
  onEncode: () => void,
): Message {
  return {
    key: key ?? null,
    value: value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : value,
    partition,
    get headers() {
      onEncode();
      return headers;
    },
  };
}

type Connection = {
  /** The attempt that is shared by all who need it; a later call tries again if it has failed. */
  open(): Promise<void>;
  /** Disconnects and forgets an attempt, unless a later one has taken its place. Until then sends fail at once. */
  drop(attempt: Promise<void>): Promise<void>;
};

/**
 * kafkajs takes a broker for connected whose socket is open, though it froze before it said what it speaks; it then
 * fails every request with "Broker not connected", for ever. Only disconnecting gets it out of that.
 */
function createConnection(producer: Producer): Connection {
  let current: Promise<void> | undefined;
  let dropping: Promise<void> | undefined;
  const disconnect = async (): Promise<void> => {
    // What it fails with, the next attempt finds out: it connects anew all the same.
    await producer.disconnect().catch(() => undefined);
    current = undefined;
    dropping = undefined;
  };
  const drop = async (attempt: Promise<void>): Promise<void> => {
    if (current !== attempt) return;
    dropping ??= disconnect();
    await dropping;
  };
  const connect = async (onFailure: () => Promise<void>): Promise<void> => {
    try {
      await producer.connect();
    } catch (error) {
      await onFailure();
      throw error;
    }
  };
  return {
    open() {
      if (current !== undefined) return current;
      const attempt: Promise<void> = connect(() => drop(attempt));
      current = attempt;
      return attempt;
    },
    drop,
  };
}

function isHalfOpen(error: unknown): boolean {
  const cause = rootCause(error);
  return cause instanceof Error && cause.message === 'Broker not connected';
}

function failure({ isEncoded }: { isEncoded: boolean }, reason: string): SendOutcome {
  return { outcome: isEncoded ? 'unknown' : 'not-stored', reason };
}

/** A success must name our partition with error code 0 and an offset; an empty answer was seen for lost messages. */
function isAnswerOf(answers: readonly RecordMetadata[], topic: string, partition: number): boolean {
  const [answer] = answers;
  return (
    answers.length === 1 &&
    answer?.topicName === topic &&
    answer.partition === partition &&
    answer.errorCode === 0 &&
    /^\d+$/.test(answer.baseOffset ?? '')
  );
}

/**
 * Answers that reject a produce request before anything is appended, and that no other request gets (Kafka protocol,
 * error codes): after a failed send kafkajs asks for metadata, and what comes of that hides what became of the send.
 */
const REJECTIONS: ReadonlySet<string> = new Set([
  'CORRUPT_MESSAGE',
  'NOT_LEADER_FOR_PARTITION',
  'FENCED_LEADER_EPOCH',
  'NOT_ENOUGH_REPLICAS',
  'INVALID_REQUIRED_ACKS',
  'POLICY_VIOLATION',
]);

/** The same of the size: beyond `max.message.bytes` or `segment.bytes` of the topic. */
const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  return errorCodeOf(error) ?? (cause instanceof Error ? cause.name : 'unknown error');
}
