import { type Schedule, type Scheduled, createActor } from '../time/schedule.ts';
import { Engine, type Reply } from '../network.ts';
import { Coordinator } from './coordinator.ts';
import { ProtocolError } from './errors.ts';
import { PartitionLog } from './partition-log.ts';

/**
 *   healthy   what is appended is replicated at once
 *   stalled   it is appended, but not replicated: the request times out
 *   too few   replicas are in sync: messages are rejected before the append
 *   full      the disk is full: the answer does not say whether the append began
 */
export type Replication = 'healthy' | 'stalled' | 'too few' | 'full';

type Append = {
  readonly topic: string;
  readonly partition: number;
  readonly values: readonly (Uint8Array | null)[];
};
export type Appended = { readonly base: number; readonly appendedAt: number };

type Waiting = {
  readonly log: PartitionLog;
  readonly end: number;
  readonly settle: (error?: ProtocolError) => void;
};

const REPLICATION_MS = 2;
/** `timeout` of our requests. */
const APPEND_TIMEOUT_MS = 2500;

/** Brokers with their topics. Groups of consumers are in `Coordinator`. */
export class Brokers extends Engine {
  readonly topics = new Map<string, PartitionLog[]>();
  replication: Replication = 'healthy';
  /** Topics whose partitions alone have too few replicas. */
  readonly rejecting = new Set<string>();
  /** How long a broker wants quiet after an append at most, because a quota is exceeded; 0 without a quota. */
  longestThrottleMs = 0;
  /** Owns the timers of groups, which every broker may continue. */
  readonly nature = createActor('kafka groups', { hasPromises: false });
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #waiting = new Set<Waiting>();
  readonly #groups = new Map<string, Coordinator>();

  constructor(schedule: Schedule, random: () => number) {
    super('kafka', schedule, {
      onKill: () => {
        this.#waiting.clear();
        for (const log of this.#logs()) this.#changeLeader(log);
      },
    });
    this.#schedule = schedule;
    this.#random = random;
  }

  groupOf(groupId: string, topic: string): Coordinator {
    const group = this.#groups.get(groupId) ?? new Coordinator(this, this.#schedule, topic);
    this.#groups.set(groupId, group);
    return group;
  }

  partitionCount(topic: string): number {
    return this.topics.get(topic)?.length ?? 0;
  }

  createTopic(topic: string, partitions: number): void {
    this.topics.set(
      topic,
      Array.from({ length: partitions }, () => new PartitionLog()),
    );
  }

  /** Its messages are lost, and with them what groups have committed. Returns its partitions. */
  deleteTopic(topic: string): readonly PartitionLog[] {
    const logs = this.topics.get(topic) ?? [];
    this.topics.delete(topic);
    for (const group of this.#groups.values()) if (group.topic === topic) group.committed.clear();
    for (const { log, settle } of [...this.#waiting])
      if (logs.includes(log)) settle(new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION'));
    return logs;
  }

  logOf(topic: string, partition: number): PartitionLog {
    const log = this.topics.get(topic)?.[partition];
    if (log === undefined) throw new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION');
    return log;
  }

  append({ topic, partition, values }: Append, reply: Reply<Appended>): void {
    const log = this.topics.get(topic)?.[partition];
    if (log === undefined) {
      reply.reject(new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION'));
      return;
    }
    if (this.replication === 'too few' || this.rejecting.has(topic)) {
      reply.reject(new ProtocolError('NOT_ENOUGH_REPLICAS'));
      return;
    }
    const appendedAt = Math.floor(this.#schedule.now + this.actor.clockAheadMs);
    if (this.replication === 'full') {
      if (this.#random() < 0.5) log.append(values, appendedAt);
      reply.reject(new ProtocolError('KAFKA_STORAGE_ERROR'));
      return;
    }
    const base = log.append(values, appendedAt);
    const waiting: Waiting = {
      log,
      end: log.end,
      settle: (error) => {
        timer.isCancelled = true;
        this.#waiting.delete(waiting);
        if (error === undefined) reply.resolve({ base, appendedAt });
        else reply.reject(error);
      },
    };
    const timer: Scheduled = this.#schedule.after(this.actor, APPEND_TIMEOUT_MS, {
      label: 'append times out',
      action: () => {
        waiting.settle(new ProtocolError('REQUEST_TIMED_OUT'));
      },
    });
    this.#waiting.add(waiting);
    if (this.replication === 'healthy') this.#replicateSoon(log);
  }

  /** How long the broker wants quiet after an append. */
  throttleMs(): number {
    return this.longestThrottleMs === 0 ? 0 : Math.ceil(this.#random() * this.longestThrottleMs);
  }

  /** What waits for replicas is replicated now, or its requests learn that there are too few. */
  setReplication(replication: Replication): void {
    this.replication = replication;
    if (replication === 'healthy') for (const log of this.#logs()) this.#replicateSoon(log);
    if (replication === 'too few')
      for (const { settle } of [...this.#waiting])
        settle(new ProtocolError('NOT_ENOUGH_REPLICAS_AFTER_APPEND'));
  }

  /** Another broker becomes the leader of every partition. It may lack what was not replicated. */
  moveLeaders(): void {
    for (const log of this.#logs()) this.#changeLeader(log);
    for (const { settle } of [...this.#waiting]) settle(new ProtocolError('NOT_LEADER_FOR_PARTITION'));
  }

  #changeLeader(log: PartitionLog): void {
    if (this.#random() < 0.5) log.dropUnreplicated();
    else log.replicate();
  }

  #replicateSoon(log: PartitionLog): void {
    this.#schedule.after(this.actor, this.#random() * REPLICATION_MS, {
      label: 'replicate',
      action: () => {
        if (this.replication !== 'healthy') return;
        log.replicate();
        for (const waiting of [...this.#waiting])
          if (waiting.log === log && waiting.end <= log.replicatedTo) waiting.settle();
      },
    });
  }

  *#logs(): Generator<PartitionLog> {
    for (const logs of this.topics.values()) yield* logs;
  }
}
