import type { AddressesWithRedis } from '../../stack/index.ts';
import { type Bench, type Measurement, type Pace, type Stage, measureLoad } from './measurement.ts';
import { probe } from './probes.ts';
import { type BenchProcess, type LaunchOptions, launch } from '../process/bench-process.ts';
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
  /** Bodies for the floor, ingest with a broker in memory and ingest with Kafka, in turn. */
  readonly ingestShapes: readonly Shape[];
  /** Further bodies, for ingest with Kafka only. */
  readonly kafkaOnly: readonly Shape[];
  /** Bodies of OpenTelemetry, for ingest with a broker in memory, ingest with Kafka, and everything. */
  readonly otlp: readonly Shape[];
  readonly whole: readonly Shape[];
  /** Longer than for ingest, because the time from the last answer until all is readable counts too. */
  readonly wholeSeconds: number;
  /** The bodies that are measured again at half the rate that they have just reached. */
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
    const ingest = await createWorld('ingest');
    const atIngest = await measureIngest(options, ingest, start);
    const drains = await measureDrains(options, ingest, start);
    const ofOtlp = await measureOtlp(options, await createWorld('otlp'), start);
    const whole = await createWorld('whole');
    return [...atIngest, ...drains, ...ofOtlp, ...(await measureWhole(options, whole, start))];
  } finally {
    await Promise.all(processes.map((launched) => launched.stop()));
    await Promise.all(worlds.map((world) => world.close()));
  }
}

/** Measured one after the other, so that other work of the machine slows down all. */
function withoutAndWith(shape: Shape): [plain: Shape, asEdge: Shape, measuring: Shape] {
  return [shape, { ...shape, imitatesEdge: true }, { ...shape, measures: true }];
}

type Start = (name: string, program: string, env: LaunchOptions['env']) => Promise<BenchProcess>;

async function measureIngest({ bench, plan, round, interrupted }: Round, world: BenchWorld, start: Start) {
  const floor = await start('floor', 'tools/bench/servers/floor', {});
  const [inMemory, withKafka] = await startIngest(world, start);
  const stages: readonly Stage[] = [
    countingStage('floor', floor, { token: world.token, readRows: readRowsAt }),
    inMemory,
    withKafka,
  ];
  const measured: Measurement[] = [];
  const measure = async (stage: Stage, shape: Shape): Promise<void> => {
    interrupted.throwIfAborted();
    measured.push(
      await measureLoad(bench, { stage, round, shape }, { rate: 'maximum', seconds: bench.seconds }),
    );
  };
  for (const shape of plan.ingestShapes)
    for (const stage of stages) {
      const [plain, asEdge, measuring] = withoutAndWith(shape);
      for (const each of stage.name === 'floor' ? [plain, asEdge] : [plain, asEdge, measuring])
        await measure(stage, each);
    }
  for (const shape of plan.kafkaOnly.flatMap(withoutAndWith)) await measure(withKafka, shape);
  await stopServers(stages);
  return measured;
}

/** In a world of its own, so that the worker drains the same topic as without. */
async function measureOtlp({ bench, plan, round, interrupted }: Round, world: BenchWorld, start: Start) {
  const stages = await startIngest(world, start);
  const measured: Measurement[] = [];
  for (const stage of stages)
    for (const shape of plan.otlp) {
      interrupted.throwIfAborted();
      const pace: Pace = { rate: 'maximum', seconds: bench.seconds };
      measured.push(await measureLoad(bench, { stage, round, shape }, pace));
    }
  await stopServers(stages);
  return measured;
}

async function startIngest(world: BenchWorld, start: Start): Promise<[inMemory: Stage, withKafka: Stage]> {
  const { env, token } = world;
  const inMemory = await start('ingest', 'tools/bench/servers/ingest-in-memory', env);
  return [
    countingStage('ingest, broker in memory', inMemory, { token, readRows: readReceivedMetrics }),
    ingestStage(world, await start('ingest', 'services/ingest/main', env)),
  ];
}

async function stopServers(stages: readonly Stage[]): Promise<void> {
  await Promise.all(stages.flatMap(({ servers }) => servers.map((server) => server.stop())));
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

async function measureWhole(options: Round, world: BenchWorld, start: Start): Promise<Measurement[]> {
  const { bench, plan, round, interrupted } = options;
  const ingest = await start('ingest', 'services/ingest/main', world.env);
  const worker = await start('worker', 'services/worker/main', world.env);
  const stages = {
    atMaximum: wholeStage('everything', world, [ingest, worker]),
    atHalf: wholeStage('everything at half rate', world, [ingest, worker]),
  };
  const measured: Measurement[] = [];
  const measure = async (stage: Stage, shape: Shape, pace: Pace): Promise<Measurement> => {
    interrupted.throwIfAborted();
    // Merges of an earlier load must not slow down this one.
    await untilMerged(world.clickhouse);
    const measurement = await measureLoad(bench, { stage, round, shape }, pace);
    measured.push(measurement);
    return measurement;
  };
  for (const shape of [...plan.whole.flatMap(withoutAndWith), ...plan.otlp]) {
    const pace: Pace = { rate: 'maximum', seconds: plan.wholeSeconds };
    const { requestsPerSecond = 2 } = await measure(stages.atMaximum, shape, pace);
    if (!plan.halfRate.includes(shape)) continue;
    const beside = (over: AbortSignal) => probe(world, stages.atHalf.target, over);
    await measure(stages.atHalf, shape, {
      rate: requestsPerSecond / 2,
      seconds: plan.halfRateSeconds,
      beside,
    });
  }
  return measured;
}
