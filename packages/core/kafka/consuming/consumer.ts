import type { Consumer, ConsumerRunConfig, EachBatchPayload, Kafka } from 'kafkajs';
import type { LogMessage } from '#core/counting';
import {
  type Log,
  type Troubles,
  createBackoff,
  engineError,
  explainTrouble,
  inBackground,
  isAccessDenied,
  untilReached,
} from '#base/runtime';
import { type Group, joinedGroup } from './group.ts';
import { orDisconnect } from '../or-disconnect.ts';
import { LostPartition, Membership } from './membership.ts';

export type ConsumerOptions = {
  readonly groupId: string;
  readonly topic: string;
  /** Bytes that a fetch waits for, at most as long as `maxWaitMs`. */
  readonly minBytes: number;
  /** A second if it is not given: what an idle partition's message waits at most. Far below the session's timeout. */
  readonly maxWaitMs?: number;
  readonly maxBytesPerPartition: number;
  readonly partitionsConcurrently: number;
  readonly log: Log;
  /** Called with the time by which a fetch took longer than its wait for messages: a quota of Kafka, or a slow connection. */
  readonly onSlowFetch?: ((ms: number) => void) | undefined;
  /** Ends the wait for Kafka; the consumer then never starts. */
  readonly signal: AbortSignal;
  /** Holds the reason while Kafka is not reached. */
  readonly troubles?: Troubles | undefined;
  /** Called once when the consumer cannot go on; the process should end. */
  readonly onCrash: (error: unknown) => void;
};

/** What a process gives to each of its consumers. */
export type GivenToConsumer = Pick<
  ConsumerOptions,
  'groupId' | 'topic' | 'log' | 'signal' | 'troubles' | 'onCrash'
> & { readonly kafka: Kafka };

/** Fetched messages of one partition, and the actions for them. */
export type FetchedBatch = {
  readonly partition: number;
  /** Offset of the first message, and the offset after the last. */
  readonly from: bigint;
  readonly position: bigint;
  readonly messages: readonly LogMessage[];
  /** Messages after these in the partition. */
  readonly lag: number;
  readonly group: Group;
  /** Moves the next fetch to the first message after these; commits nothing. */
  advance(): void;
  /** Fetches these messages again after this time. Other partitions do not wait. */
  postpone(ms: number): void;
};

export type BatchConsumer = {
  /** Whether the consumer is currently a member of the group. */
  isJoined(): boolean;
  stop(): Promise<void>;
};

/** Group settings: a dead member is noticed after `sessionTimeout`, which bounds how long its partitions wait. */
const SESSION_TIMEOUT_MS = 8000;
const HEARTBEAT_INTERVAL_MS = 1500;
const REBALANCE_TIMEOUT_MS = 15_000;
const MAX_WAIT_MS = 1000;

/**
 * Passes fetched messages to `handle`, for several partitions in parallel but never twice in parallel for one. kafkajs starts a
 * new generation only after all handlers have settled, so a handler must settle only after its own work has.
 */
export async function consumeBatches(
  kafka: Kafka,
  options: ConsumerOptions,
  handle: (batch: FetchedBatch) => Promise<void>,
): Promise<BatchConsumer> {
  const { log, signal, troubles, onCrash } = options;
  const membership = new Membership();
  const backoff = createBackoff({ firstMs: 200, maxMs: 2000 });
  let consumer: Consumer;
  let beginning: Promise<void>;
  const begin = async (): Promise<void> => {
    consumer = createConsumer(kafka, options);
    followMembership(consumer, membership);
    followFetches(consumer, options);
    consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
      if (restart) return;
      if (hasNoCoordinator(error)) inBackground((beginning = beginAgain(error)), onCrash);
      else onCrash(isAccessDenied(error) ? engineError('Kafka', error) : error);
    });
    const subscribe = async (): Promise<void> => {
      await consumer.connect();
      await consumer.subscribe({ topic: options.topic, fromBeginning: true });
    };
    await untilReached(() => orDisconnect(consumer, subscribe), { engine: 'Kafka', log, signal, troubles });
    if (!signal.aborted) await consumer.run(runOptions(options, membership, handle));
  };
  const beginAgain = async (err: unknown): Promise<void> => {
    const reason = explainTrouble('Kafka', err);
    troubles?.note('Kafka', err);
    log.warn(
      { err, topic: options.topic, reason },
      'the group has no coordinator: the consumer begins again',
    );
    await backoff.wait(signal);
    if (!signal.aborted) await begin();
  };
  await (beginning = begin());
  return {
    isJoined: () => membership.isJoined(),
    async stop() {
      await consumer.disconnect();
      await beginning;
      await consumer.disconnect(); // one that began meanwhile
    },
  };
}

function createConsumer(kafka: Kafka, options: ConsumerOptions): Consumer {
  return kafka.consumer({
    // How soon added partitions are consumed.
    metadataMaxAge: 10_000,
    groupId: options.groupId,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_INTERVAL_MS,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    maxWaitTimeInMs: options.maxWaitMs ?? MAX_WAIT_MS,
    minBytes: options.minBytes,
    maxBytesPerPartition: options.maxBytesPerPartition,
    allowAutoTopicCreation: false,
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 2000 },
  });
}

function followMembership(consumer: Consumer, membership: Membership): void {
  const { REBALANCING, DISCONNECT, CRASH, GROUP_JOIN } = consumer.events;
  for (const event of [REBALANCING, DISCONNECT, CRASH])
    consumer.on(event, () => {
      membership.leave();
    });
  consumer.on(GROUP_JOIN, () => {
    membership.join();
  });
}

function followFetches(consumer: Consumer, { onSlowFetch, maxWaitMs = MAX_WAIT_MS }: ConsumerOptions): void {
  consumer.on(consumer.events.FETCH, ({ payload: { duration } }) => {
    if (duration > maxWaitMs) onSlowFetch?.(duration - maxWaitMs);
  });
}

/**
 * kafkajs treats it as final, but the brokers that keep the groups may only be starting. A member that joins again gets it
 * wrapped in another error.
 */
function hasNoCoordinator(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'KafkaJSGroupCoordinatorNotFound' || hasNoCoordinator(error.cause);
}

function runOptions(
  { partitionsConcurrently, onCrash }: ConsumerOptions,
  membership: Membership,
  handle: (batch: FetchedBatch) => Promise<void>,
): ConsumerRunConfig {
  return {
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: partitionsConcurrently,
    eachBatch: (payload) =>
      membership
        .during((generation) => handle(toFetched(payload, joinedGroup(payload, generation))))
        .catch((error: unknown) => {
          // Otherwise kafkajs would call the handler again and restart for ever.
          if (!(error instanceof LostPartition)) onCrash(error);
          throw error;
        }),
  };
}

function toFetched(payload: EachBatchPayload, group: Group): FetchedBatch {
  const { batch } = payload;
  const lastOffset = batch.lastOffset();
  return {
    partition: batch.partition,
    from: BigInt(batch.firstOffset() ?? lastOffset),
    position: BigInt(lastOffset) + 1n,
    messages: batch.messages.map(({ offset, value, timestamp }) => ({
      offset: BigInt(offset),
      value,
      appendedAt: Number(timestamp),
    })),
    lag: Number(batch.offsetLag()),
    group,
    advance: () => {
      payload.resolveOffset(lastOffset);
    },
    postpone: (ms) => {
      setTimeout(payload.pause(), ms).unref();
    },
  };
}
