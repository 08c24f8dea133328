import type { EachBatchPayload } from 'kafkajs';
import { NetworkError } from '../network.ts';
import { type Client, ask } from './connection.ts';
import type { Joined } from './coordinator.ts';
import { ProtocolError, connectionError } from './errors.ts';
import { type Fetched, fetchSoon } from './fetch.ts';

type Run = {
  readonly partitionsConsumedConcurrently?: number;
  readonly eachBatch: (payload: EachBatchPayload) => Promise<void>;
};

/** Events of kafkajs that our code listens to. */
const EVENTS = {
  REBALANCING: 'rebalancing',
  DISCONNECT: 'disconnect',
  CRASH: 'crash',
  GROUP_JOIN: 'group join',
};
/** A member that must join again. */
const REJOIN: ReadonlySet<string> = new Set([
  'REBALANCE_IN_PROGRESS',
  'UNKNOWN_MEMBER_ID',
  'ILLEGAL_GENERATION',
]);
/** What a group has committed if kafkajs sets it to the start of the log. */
const START_OF_LOG = '-2';
const JOIN_TIMEOUT_MS = 20_000;
const HEARTBEAT_MS = 1500;
const RESTART_MS = 1000;

/** A consumer that behaves as the one of kafkajs: it fetches, handles each partition, and joins again when it must. */
export function createConsumer(world: Client, groupId: string) {
  const { network, brokers, schedule, random, connection } = world;
  const listeners = new Map<string, ((event: { readonly payload: unknown }) => void)[]>();
  const emit = (event: string, payload: unknown = {}): void => {
    for (const listener of listeners.get(event) ?? []) listener({ payload });
  };
  // Made once: a new text for each event would have to be hashed again.
  const labels = {
    join: `join ${groupId}`,
    heartbeat: `heartbeat ${groupId}`,
    commit: `commit ${groupId}`,
    reset: `reset ${groupId}`,
  };
  let topic = '';
  let memberId: string | undefined;
  let isRunning = false;
  let running: Promise<void> | undefined;

  const join = async (): Promise<Joined> => {
    try {
      const joined = await network.call<Joined>(brokers, {
        label: labels.join,
        timeoutMs: JOIN_TIMEOUT_MS,
        connection,
        serve: (reply) => {
          brokers.groupOf(groupId, topic).join(memberId, reply);
        },
      });
      ({ memberId } = joined);
      return joined;
    } catch (error) {
      throw connectionError(error);
    }
  };

  const readPositions = (partitions: readonly number[]): Promise<Map<number, number>> =>
    ask(world, 'fetch positions', () => {
      const { committed } = brokers.groupOf(groupId, topic);
      const entries = partitions.map((partition): [number, number] => {
        const { start } = brokers.logOf(topic, partition);
        const offset = Number(committed.get(partition)?.offset ?? START_OF_LOG);
        return [partition, offset < 0 ? start : offset];
      });
      return new Map(entries);
    });

  /** kafkajs commits a position that is not in the log as the start of the log, without metadata. */
  const resetPositions = async (
    joined: Joined,
    outOfRange: readonly number[],
  ): Promise<Map<number, number>> => {
    const membership = { ...joined, caller: schedule.current };
    await ask(world, labels.reset, () => {
      const group = brokers.groupOf(groupId, topic);
      for (const partition of outOfRange)
        group.commit(membership, partition, { offset: START_OF_LOG, metadata: '' });
    });
    return readPositions(outOfRange);
  };

  const createSession = (joined: Joined, positions: Map<number, number>) => {
    const paused = new Map<number, symbol>();
    let heartbeatAt = schedule.now;
    const heartbeat = async (): Promise<void> => {
      if (schedule.now - heartbeatAt < HEARTBEAT_MS) return;
      await ask(world, labels.heartbeat, () => {
        brokers.groupOf(groupId, topic).heartbeat(joined);
      });
      heartbeatAt = schedule.now;
    };
    const payloadOf = (partition: number, records: Fetched['parts'][number]) => {
      const { from } = records;
      const last = from + records.records.length - 1;
      return {
        batch: {
          topic,
          partition,
          messages: records.records.map(({ value, appendedAt }, index) => ({
            offset: String(from + index),
            value: value === null ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
            timestamp: String(appendedAt),
          })),
          firstOffset: () => String(from),
          lastOffset: () => String(last),
          offsetLag: () => String(records.end - 1 - last),
        },
        isRunning: () => isRunning,
        heartbeat,
        resolveOffset: (offset: string) => {
          positions.set(partition, Number(offset) + 1);
        },
        pause() {
          const id = Symbol('pause');
          paused.set(partition, id);
          return () => {
            if (paused.get(partition) === id) paused.delete(partition);
          };
        },
        commitOffsetsIfNecessary({ topics: [committed] }: CommittedTopics) {
          const membership = { ...joined, caller: schedule.current };
          return ask(world, labels.commit, () => {
            const group = brokers.groupOf(groupId, topic);
            for (const { partition: of, offset, metadata } of committed.partitions) {
              // Without its topic, Kafka refuses a commit.
              brokers.logOf(topic, of);
              group.commit(membership, of, { offset, metadata });
            }
          });
        },
      };
    };
    return { paused, heartbeat, payloadOf };
  };

  /** Fetches and handles until the member must join again. */
  const work = async (
    joined: Joined,
    { eachBatch, partitionsConsumedConcurrently = 1 }: Run,
  ): Promise<void> => {
    const positions = await readPositions(joined.partitions);
    const session = createSession(joined, positions);
    while (isRunning) {
      const wanted = [...positions].filter(([partition]) => !session.paused.has(partition));
      const fetched = await fetchSoon(world, topic, wanted);
      const waiting = fetched.parts.values();
      const errors: unknown[] = [];
      const handleNext = async (): Promise<void> => {
        for (const part of waiting) {
          if (errors.length > 0) return;
          const payload = session.payloadOf(part.partition, part);
          await eachBatch(payload as unknown as EachBatchPayload).catch((error: unknown) =>
            errors.push(error),
          ); // what is used exists
        }
      };
      await Promise.all(Array.from({ length: partitionsConsumedConcurrently }, handleNext));
      if (errors.length > 0) throw errors[Math.floor(random() * errors.length)];
      if (fetched.outOfRange.length > 0)
        for (const [partition, start] of await resetPositions(joined, fetched.outOfRange))
          positions.set(partition, start);
      await session.heartbeat();
    }
  };

  const run = async (options: Run): Promise<void> => {
    while (isRunning) {
      try {
        const joined = await join();
        emit(EVENTS.GROUP_JOIN);
        await work(joined, options);
      } catch (error) {
        const type = error instanceof Error && 'type' in error ? String(error.type) : '';
        if (type !== 'REBALANCE_IN_PROGRESS') memberId = undefined;
        if (REJOIN.has(type)) emit(EVENTS.REBALANCING);
        else if (error instanceof Error && error.name.startsWith('KafkaJS')) {
          emit(EVENTS.CRASH, { error, restart: true });
          await new Promise((resolve) => setTimeout(resolve, RESTART_MS));
        } else {
          emit(EVENTS.CRASH, { error, restart: false });
          return;
        }
      }
    }
  };

  return {
    events: EVENTS,
    on(event: string, listener: (event: { readonly payload: unknown }) => void) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    connect: () => ask(world, 'consumer connects', () => undefined),
    subscribe(options: { readonly topic: string }) {
      ({ topic } = options);
      return Promise.resolve();
    },
    run(options: Run) {
      isRunning = true;
      running = run(options);
      return Promise.resolve();
    },
    async disconnect() {
      isRunning = false;
      await running;
      running = undefined;
      const id = memberId;
      memberId = undefined;
      if (id === undefined) return;
      await ask(world, `leave ${groupId}`, () => {
        brokers.groupOf(groupId, topic).leave(id);
      }).catch(ignoreOutage);
      emit(EVENTS.DISCONNECT);
    },
  };
}

type CommittedTopics = {
  readonly topics: readonly [
    {
      readonly partitions: readonly {
        readonly partition: number;
        readonly offset: string;
        readonly metadata: string;
      }[];
    },
  ];
};

/** The session of a member that could not leave ends by itself. */
function ignoreOutage(error: unknown): void {
  if (error instanceof NetworkError || error instanceof ProtocolError || error instanceof Error) return;
  throw error;
}
