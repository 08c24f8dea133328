import { FlagmeterError } from '#base/runtime';
import { createRandom } from '#tooling/traffic';
import { ClickHouseServer, SharedTables } from './clickhouse/server.ts';
import { Brokers } from './kafka/brokers.ts';
import {
  APPLICATIONS,
  APPLICATIONS_PARTITIONS,
  COUNTS,
  DEAD_LETTERS,
  MIRRORED_APPLICATIONS_GROUP,
  MIRROR_GROUP,
  tokenOf,
} from './names.ts';
import { Network } from './network.ts';
import { SimulatedPostgres } from './postgres.ts';
import { SimulatedRedis } from './redis.ts';
import type { CountsLog, Loss } from './losses.ts';
import type { Measured } from './samples.ts';
import { type SimulatedExporter, startExporter } from './processes/exporter.ts';
import { type RunningIngest, startIngest } from './processes/ingest.ts';
import { startMirror } from './processes/mirror.ts';
import { type Running, SimulatedProcess } from './processes/process.ts';
import { type SimulatedRelay, startRelay } from './processes/relay.ts';
import type { Surroundings } from './processes/surroundings.ts';
import { startWorker } from './processes/worker.ts';
import { Schedule, createActor } from './time/schedule.ts';
import { SimulatedUnleash } from './unleash.ts';

/** Within a day, and before midnight at the end of a month. A metric of a full hour would not be recognised as repeated. */
const STARTS = [Date.UTC(2026, 10, 25, 12, 17), Date.UTC(2026, 10, 30, 23, 58, 30)];

const MIRRORED_APPLICATIONS = [MIRRORED_APPLICATIONS_GROUP, APPLICATIONS, APPLICATIONS_PARTITIONS] as const;

/** The share of the worlds with an even seed that have SDKs of OpenTelemetry. */
const EXPORTING = 0.5;

type Options = {
  readonly onLine: ((line: string) => void) | undefined;
  /** Whether acknowledged batches may be lost. */
  readonly isLossy: boolean;
  /** What it must have; the rest is drawn. */
  readonly shape: Partial<Shape>;
};

/** The shape of a world, drawn from its seed. */
export type Shape = {
  readonly partitions: number;
  readonly ingests: number;
  readonly workers: number;
  readonly mirrors: number;
  readonly relays: number;
  /** 1 is a single server; more are replicas. */
  readonly replicas: number;
};

/** Everything that one run simulates. */
export class World implements Surroundings {
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly codeRandom: () => number;
  readonly network: Network;
  readonly brokers: Brokers;
  readonly clickhouse: ClickHouseServer[] = [];
  readonly postgres: SimulatedPostgres;
  readonly redis: SimulatedRedis;
  readonly unleash: SimulatedUnleash;
  readonly supervisor = createActor('supervisor', { hasPromises: false });
  readonly shape: Shape;
  readonly onLine: ((line: string) => void) | undefined;
  readonly recordEveryMs: number;
  /** The evaluations of each feature that relays collected. */
  readonly recorded = new Map<string, number>();
  readonly withVariants = new Set<string>();
  readonly registered = new Set<string>();
  readonly sampleRandom: () => number;
  readonly measureEveryMs: number;
  readonly measured = new Map<string, Measured>();
  readonly mirrorsApplications: boolean;
  readonly exportRandom: () => number;
  readonly exporterCount: number;
  maxDeadLetters = 100;
  /** Messages of which an operator knows that they are lost. */
  readonly losses: Loss[] = [];
  /** The partitions of counts topics that were lost. */
  readonly lostLogs: CountsLog[] = [];
  readonly ingests: SimulatedProcess<RunningIngest>[] = [];
  readonly workers: SimulatedProcess<Running>[] = [];
  readonly mirrors: SimulatedProcess<Running>[] = [];
  readonly relays: SimulatedRelay[] = [];
  readonly exporters: SimulatedExporter[] = [];
  /** What must never happen. */
  readonly violations: string[] = [];

  /** Whether a worker may end with an error of this code. */
  explainsFailure: (code: string) => boolean = () => false;

  constructor(seed: number, { onLine, isLossy, shape: given }: Options) {
    this.onLine = onLine;
    this.random = createRandom(seed);
    this.codeRandom = createRandom(seed ^ 0x5f3759df);
    const { random } = this;
    const schedule = new Schedule(STARTS[random() < 0.8 ? 0 : 1] ?? 0);
    this.schedule = schedule;
    this.network = new Network(schedule, random);
    this.brokers = new Brokers(schedule, random);
    this.postgres = new SimulatedPostgres(this);
    this.redis = new SimulatedRedis(schedule);
    this.unleash = new SimulatedUnleash(this);
    this.shape = { ...drawShape(random), ...given };
    this.recordEveryMs = 500 + random() * 4000;
    this.sampleRandom = createRandom(seed ^ 0x1b873593);
    this.measureEveryMs =
      this.sampleRandom() < 0.6 && !isLossy ? 1000 + this.sampleRandom() * 10_000 : Infinity;
    this.mirrorsApplications = this.shape.mirrors > 0 && this.sampleRandom() < 0.5;
    this.exportRandom = createRandom(seed ^ 0x165667b1);
    const isExporting = this.exportRandom() < EXPORTING && seed % 2 === 0;
    this.exporterCount = isExporting ? 1 + Math.floor(this.exportRandom() * 2) : 0;
  }

  get partitions(): number {
    return this.shape.partitions;
  }

  /** Starts engines, processes and relays. Call it after time and randomness are those of this world. */
  start(): void {
    const { partitions, ingests, workers, mirrors, relays, replicas } = this.shape;
    this.brokers.createTopic(COUNTS, partitions);
    this.brokers.createTopic(APPLICATIONS, APPLICATIONS_PARTITIONS);
    this.brokers.createTopic(DEAD_LETTERS, 1);
    const shared = replicas === 1 ? undefined : new SharedTables();
    for (const name of named('clickhouse', replicas))
      this.clickhouse.push(new ClickHouseServer(name, this, shared));
    for (const name of named('ingest', ingests))
      this.ingests.push(new SimulatedProcess(this, name, () => startIngest(this, name)));
    for (const name of named('worker', workers))
      this.workers.push(new SimulatedProcess(this, name, (fail) => startWorker(this, name, fail)));
    // The mirror has begun before the first message, so it must send all of them.
    const mirrored = [MIRROR_GROUP, COUNTS, partitions] as const;
    for (const [group, topic, count] of [mirrored, MIRRORED_APPLICATIONS])
      for (let partition = 0; partition < count; partition += 1)
        this.brokers.groupOf(group, topic).committed.set(partition, { offset: '0', metadata: '' });
    for (const name of named('mirror', mirrors))
      this.mirrors.push(new SimulatedProcess(this, name, (fail) => startMirror(this, name, fail)));
    for (const name of named('relay', relays)) {
      this.#addToken(name);
      this.relays.push(startRelay(this, name));
    }
    for (const name of named('sdk', this.exporterCount)) {
      this.#addToken(name);
      this.exporters.push(startExporter(this, name));
    }
  }

  /** Those that send evaluations. */
  get senders(): readonly { readonly name: string; finish(): void; isFinished(): boolean }[] {
    return [...this.relays, ...this.exporters];
  }

  #addToken(name: string): void {
    const { secret, token } = tokenOf(name);
    this.postgres.add(secret, token);
  }

  chooseIngest(): SimulatedProcess<RunningIngest> {
    const chosen = this.ingests[Math.floor(this.random() * this.ingests.length)];
    if (chosen === undefined) throw new Error('no ingest');
    return chosen;
  }

  report(violation: string): void {
    this.violations.push(violation);
  }

  /** A process ended by itself, which production code does when an operator must act. */
  noteFailure(name: string, error: unknown): void {
    const code = error instanceof FlagmeterError ? error.code : '';
    if (name.startsWith('worker') && this.explainsFailure(code)) return;
    this.report(
      `${name} ended: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
    );
  }
}

function drawShape(random: () => number): Shape {
  const oneTo = (max: number): number => 1 + Math.floor(random() * max);
  return {
    partitions: oneTo(3),
    ingests: oneTo(2),
    workers: oneTo(2),
    mirrors: Math.floor(random() * 3),
    relays: oneTo(2),
    replicas: random() < 0.7 ? 1 : 2,
  };
}

function named(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${index + 1}`);
}
