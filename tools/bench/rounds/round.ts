import type { AddressesWithRedis } from '../../stack/index.ts';
import { type Bench, type Measurement, type Pace, type Stage, measureLoad } from './measurement.ts';
import { probe } from './probes.ts';
import { type BenchProcess, type LaunchOptions, launch, launchStarted } from '../process/bench-process.ts';
import { untilMerged } from '../reads/merges.ts';
import type { Shape } from './shapes.ts';
import {
  countingStage,
  ingestStage,
  measureDrain,
  readReceivedMetrics,
  readRowsAt,
  wholeStage,
} from './stages.ts';
import { type BenchWorld, createBenchWorld } from '../world.ts';

/** The measurements of a round. */
export type Plan = {
  /** Bodies for `flagmeter start`, each right after the floor. */
  readonly started: readonly Shape[];
  /** Bodies for ingest with a broker in memory, ingest with Kafka, and all services as separate processes, in turn. */
  readonly separate: readonly Shape[];
  /** Bodies of OpenTelemetry, for ingest with a broker in memory and with Kafka. */
  readonly otlp: readonly Shape[];
  /** Longer than for ingest, because the time from the last answer until all is readable counts too. */
  readonly wholeSeconds: number;
  /** The bodies that `flagmeter start` gets again at half the rate that they have just reached. */
  readonly halfRate: readonly Shape[];
  readonly halfRateSeconds: number;
};

export type Round = {
  readonly bench: Bench;
  readonly plan: Plan;
  readonly round: number;
  readonly addresses: AddressesWithRedis;
  readonly logs: string;
  readonly interrupted: AbortSignal;
};

/** One round of all measurements on its own topics and databases. Stops every process that it started. */
export async function runRound(options: Round): Promise<Measurement[]> {
  const processes: BenchProcess[] = [];
  const worlds: BenchWorld[] = [];
  const start: Start = async (name, program, env) => {
    options.interrupted.throwIfAborted();
    const launched = await launch({ name, program, env, logs: options.logs });
    processes.push(launched);
    return launched;
  };
  const createWorld = async (kind: string): Promise<BenchWorld> => {
    const world = await createBenchWorld(options.addresses, `bench_${options.round}_${kind}`);
    worlds.push(world);
    return world;
  };
  try {
    const started = await measureStarted(options, await createWorld('started'), start);
    const ingest = await createWorld('ingest');
    const atIngest = await measureIngest(options, ingest, start);
    const drains = await measureDrains(options, ingest, start);
    const ofOtlp = await measureOtlp(options, await createWorld('otlp'), start);
    const separate = await measureSeparate(options, await createWorld('separate'), start);
    return [...started, ...atIngest, ...drains, ...ofOtlp, ...separate];
  } finally {
    await Promise.all(processes.map((launched) => launched.stop()));
    await Promise.all(worlds.map((world) => world.close()));
  }
}

type Start = (name: string, program: string, env: LaunchOptions['env']) => Promise<BenchProcess>;

/** What people run, beside the floor, which gets each body right before, so that other work of the machine slows down both. */
async function measureStarted(options: Round, world: BenchWorld, start: Start): Promise<Measurement[]> {
  const { bench, plan, round, logs, interrupted } = options;
  const floor = await start('floor', 'tools/bench/servers/floor', {});
  const atFloor = countingStage('floor', floor, { token: world.token, readRows: readRowsAt });
  // Without Redis, which one machine does not need.
  const flagmeter = await launchStarted({ ...world.env, REDIS_URL: '' }, logs);
  const measured: Measurement[] = [];
  try {
    for (const shape of plan.started) {
      interrupted.throwIfAborted();
      if (hasFloor(shape)) {
        const pace: Pace = { rate: 'maximum', seconds: bench.seconds };
        measured.push(await measureLoad(bench, { stage: atFloor, round, shape }, pace));
      }
      const stageOf = (name: Stage['name']): Stage => wholeStage(name, world, flagmeter.services);
      measured.push(...(await measureWhole(options, { world, stageOf, shape })));
    }
  } finally {
    await flagmeter.stop();
  }
  return measured;
}

/** Bodies with other keys, or with impact metrics, are compared with usual ones. The floor does not read those of OpenTelemetry. */
function hasFloor({ format, keys, measures = false }: Shape): boolean {
  return (format === undefined || format === 'sdk') && keys === 'realistic' && !measures;
}

type Whole = {
  readonly world: BenchWorld;
  readonly stageOf: (name: Stage['name']) => Stage;
  readonly shape: Shape;
};

async function measureWhole({ bench, plan, round }: Round, { world, stageOf, shape }: Whole) {
  const measure = async (name: Stage['name'], pace: Pace): Promise<Measurement> => {
    // Merges of an earlier load must not slow down this one.
    await untilMerged(world.clickhouse);
    return measureLoad(bench, { stage: stageOf(name), round, shape }, pace);
  };
  const atMaximum = await measure('flagmeter start', { rate: 'maximum', seconds: plan.wholeSeconds });
  if (!plan.halfRate.includes(shape)) return [atMaximum];
  const { requestsPerSecond = 2 } = atMaximum;
  const { target } = stageOf('flagmeter start at half rate');
  const atHalf = await measure('flagmeter start at half rate', {
    rate: requestsPerSecond / 2,
    seconds: plan.halfRateSeconds,
    beside: (over: AbortSignal) => probe(world, target, over),
  });
  return [atMaximum, atHalf];
}

async function measureIngest(options: Round, world: BenchWorld, start: Start): Promise<Measurement[]> {
  return measureShapes(options, await startIngest(world, start), options.plan.separate);
}

/** In a world of its own, so that the worker drains the same topic as without. */
async function measureOtlp(options: Round, world: BenchWorld, start: Start): Promise<Measurement[]> {
  return measureShapes(options, await startIngest(world, start), options.plan.otlp);
}

async function measureShapes(
  { bench, round, interrupted }: Round,
  stages: readonly IngestStage[],
  shapes: readonly Shape[],
): Promise<Measurement[]> {
  const measured: Measurement[] = [];
  for (const shape of shapes)
    for (const { stage } of stages) {
      interrupted.throwIfAborted();
      const pace: Pace = { rate: 'maximum', seconds: bench.seconds };
      measured.push(await measureLoad(bench, { stage, round, shape }, pace));
    }
  await Promise.all(stages.map(({ server }) => server.stop()));
  return measured;
}

type IngestStage = { readonly stage: Stage; readonly server: BenchProcess };

/** With a broker in memory, and with Kafka. */
async function startIngest(world: BenchWorld, start: Start): Promise<IngestStage[]> {
  const { env, token } = world;
  const inMemory = await start('ingest', 'tools/bench/servers/ingest-in-memory', env);
  const withKafka = await start('ingest', 'services/ingest/main', env);
  const readRows = readReceivedMetrics;
  return [
    { stage: countingStage('ingest, broker in memory', inMemory, { token, readRows }), server: inMemory },
    { stage: ingestStage(world, withKafka), server: withKafka },
  ];
}

/**
 * The topic holds everything that ingest acknowledged. The measurement without inserting comes first, because nothing
 * is stored yet.
 */
async function measureDrains({ bench, round }: Round, world: BenchWorld, start: Start) {
  const rows = world.acknowledgedRows();
  const dry = await start('worker', 'tools/bench/servers/worker-without-inserting', world.env);
  const withoutInserting = await measureDrain(bench, {
    stage: 'worker, without inserting',
    round,
    rows,
    worker: dry,
    readRows: () => readRowsAt(dry.url),
  });
  await dry.stop();
  const worker = await start('worker', 'services/worker/main', world.env);
  const readRows = (): Promise<number> => world.readStoredRows();
  const inserting = await measureDrain(bench, { stage: 'worker', round, rows, worker, readRows });
  await world.untilReadable();
  await worker.stop();
  return [withoutInserting, inserting];
}

async function measureSeparate(options: Round, world: BenchWorld, start: Start): Promise<Measurement[]> {
  const { bench, plan, round, interrupted } = options;
  const ingest = await start('ingest', 'services/ingest/main', world.env);
  const worker = await start('worker', 'services/worker/main', world.env);
  const stage = wholeStage('separate services', world, [ingest, worker]);
  const measured: Measurement[] = [];
  for (const shape of plan.separate) {
    interrupted.throwIfAborted();
    await untilMerged(world.clickhouse);
    const pace: Pace = { rate: 'maximum', seconds: plan.wholeSeconds };
    measured.push(await measureLoad(bench, { stage, round, shape }, pace));
  }
  return measured;
}
