import { type Kafka, Partitioners, type Producer, type RecordMetadata } from 'kafkajs';
import { BrokerTurns } from './broker-turns.ts';
import { errorCodeOf, rootCause } from '../errors.ts';
import type { OutgoingMessage } from './record-batch.ts';
import { RecordGroup } from './record-group.ts';
import type { SendOutcome } from './send-outcome.ts';

export type { SendOutcome };

/** Sends to one partition of one topic at a time: kafkajs can lose messages of a send that spans brokers (#1303). */
export type MessageProducer = {
  send(topic: string, partition: number, messages: readonly OutgoingMessage[]): Promise<SendOutcome>;
  disconnect(): Promise<void>;
};

export type ProducerOptions = {
  /** Called with each time that a broker wants no requests, because a quota is exceeded. */
  readonly onThrottled?: (ms: number) => void;
};

export function createMessageProducer(
  kafka: Pick<Kafka, 'producer'>,
  { onThrottled = () => undefined }: ProducerOptions = {},
): MessageProducer {
  const producer = kafka.producer({
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: false,
    retry: { retries: 0 },
  });
  const connection = createConnection(producer);
  const turns = new BrokerTurns(onThrottled);
  return {
    async send(topic, partition, messages) {
      const attempt = connection.open();
      try {
        await attempt;
      } catch (error) {
        return { outcome: 'not-stored', reason: reasonOf(error) };
      }
      return turns.take(topic, partition, async () => {
        const group = new RecordGroup(partition, messages);
        const { outcome, isHalfOpen } = await sendGroup(producer, topic, group);
        if (isHalfOpen) await connection.drop(attempt);
        return { outcome, note: group.note };
      });
    },
    disconnect: () => producer.disconnect(),
  };
}

type Sending = { readonly outcome: SendOutcome; readonly isHalfOpen: boolean };

async function sendGroup(producer: Producer, topic: string, group: RecordGroup): Promise<Sending> {
  try {
    const answers = await producer.send({ topic, acks: -1, timeout: 2500, messages: [group] });
    const outcome = isAnswerOf(answers, topic, group.partition)
      ? ({ outcome: 'stored', appendedAt: appendTimeOf(answers) } as const)
      : failure(group, 'the answer does not name the partition');
    return { outcome, isHalfOpen: false };
  } catch (error) {
    return { outcome: outcomeOf(group, error), isHalfOpen: isHalfOpen(error) };
  }
}

function outcomeOf(group: RecordGroup, error: unknown): SendOutcome {
  const reason = group.rejection ?? reasonOf(error);
  if (TOO_LARGE.has(reason)) return { outcome: 'too-large', reason };
  const isRejected = REJECTIONS.has(reason) || PRODUCE_REJECTIONS.has(group.rejection ?? '');
  return failure({ isEncoded: group.isEncoded && !isRejected }, reason);
}

type Connection = {
  /** The connection attempt that all sends share; after a failure the next call tries again. */
  open(): Promise<void>;
  /** Disconnects and forgets an attempt, unless a later one has replaced it. Until then sends fail at once. */
  drop(attempt: Promise<void>): Promise<void>;
};

/**
 * For kafkajs an open socket means connected, even if the broker froze before the first answer. Every request then fails with
 * "Broker not connected", for ever. Only disconnecting ends that.
 */
function createConnection(producer: Producer): Connection {
  let current: Promise<void> | undefined;
  let dropping: Promise<void> | undefined;
  const disconnect = async (): Promise<void> => {
    // The next attempt connects again in any case and reports what is wrong.
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

function appendTimeOf([answer]: readonly RecordMetadata[]): number | undefined {
  const time = Number(answer?.logAppendTime ?? -1);
  return time < 0 ? undefined : time;
}

/**
 * Error codes of a send that the broker rejects before it appends anything, and that no other request gets. Each entry names the
 * class of Apache Kafka 4.4 that throws it. Other codes prove nothing (docs/develop/decisions/core/kafka.md, 91): the broker may have appended the
 * messages before it failed or lost the leadership.
 */
const REJECTIONS: ReadonlySet<string> = new Set([
  // Partition.appendRecordsToLeader, before UnifiedLog.appendAsLeader. After it, DelayedProduce has its own code.
  'NOT_ENOUGH_REPLICAS',
  // LogValidator, which UnifiedLog.append calls before LocalLog.append.
  'INVALID_RECORD', // a topic with `cleanup.policy=compact` wants keys
  'INVALID_TIMESTAMP', // `message.timestamp.type=CreateTime`, and our clock is further away than the topic allows
]);

/**
 * The same, but other requests get these codes too. After a failed send kafkajs asks for metadata, whose error hides the outcome of the
 * send. So they count only if the answer to the send itself had them.
 */
const PRODUCE_REJECTIONS: ReadonlySet<string> = new Set([
  'TOPIC_AUTHORIZATION_FAILED', // KafkaApis.handleProduceRequest, before ReplicaManager
]);

/** Error codes for messages above a limit of the topic. UnifiedLog.append throws both before LocalLog.append. */
const TOO_LARGE: ReadonlySet<string> = new Set([
  'MESSAGE_TOO_LARGE', // `max.message.bytes`
  'RECORD_LIST_TOO_LARGE', // `segment.bytes`
]);

function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  return errorCodeOf(error) ?? (cause instanceof Error ? cause.name : 'unknown error');
}
