import type { ClickHouseServer } from '../clickhouse/server.ts';
import type { Brokers } from '../kafka/brokers.ts';
import type { Engine, Network, Reply } from '../network.ts';
import type { Actor, Schedule } from '../time/schedule.ts';
import type { SimulatedPostgres } from '../postgres.ts';
import type { SimulatedRedis } from '../redis.ts';
import type { Measured } from '../samples.ts';
import type { SimulatedUnleash } from '../unleash.ts';

export type Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
};

/** A process that takes batches, while it runs. */
export type Receiver = {
  readonly server: Engine;
  readonly running: { receive(request: Request, reply: Reply<number>): void } | undefined;
};

/** What processes and relays find around them. */
export type Surroundings = {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: () => number;
  readonly brokers: Brokers;
  /** Replicas of one shard. */
  readonly clickhouse: readonly ClickHouseServer[];
  readonly postgres: SimulatedPostgres;
  readonly redis: SimulatedRedis;
  readonly unleash: SimulatedUnleash;
  /** Starts processes that have ended. */
  readonly supervisor: Actor;
  readonly partitions: number;
  /** `MAX_DEAD_LETTERS` of workers. */
  readonly maxDeadLetters: number;
  /** How often a relay counts an evaluation. */
  readonly recordEveryMs: number;
  /** The evaluations of each feature that relays collected. */
  readonly recorded: Map<string, number>;
  /** Those of them that had a variant. */
  readonly withVariants: Set<string>;
  /** How often a relay adds a sample; Infinity for never. */
  readonly measureEveryMs: number;
  readonly sampleRandom: () => number;
  readonly exportRandom: () => number;
  /** Whether mirrors send applications too. */
  readonly mirrorsApplications: boolean;
  /** The samples of impact metrics that relays collected, by their ids. */
  readonly measured: Map<string, Measured>;
  /** The applications that relays registered. */
  readonly registered: Set<string>;
  chooseIngest(): Receiver;
  /** Gets the lines of all logs, if somebody wants to see them. */
  readonly onLine: ((line: string) => void) | undefined;
  /** Something happened that must never happen. */
  report(violation: string): void;
  /** A process ended by itself, which production code does when an operator must act. */
  noteFailure(process: string, error: unknown): void;
};
