import type { LoadOptions, LoadResult } from '#tooling/traffic';
import type { LoadAgent } from '../process/bench-process.ts';
import { type Reading, type Watched, startMeter } from '../process/meter.ts';
import { type Shape, type Target, loadOptions, nameOfShape } from './shapes.ts';

/** In the order in which reports list them. */
export const STAGES = [
  'flagmeter start',
  'flagmeter start at half rate',
  'floor',
  'separate services',
  'ingest, broker in memory',
  'ingest, Kafka',
  'worker, without inserting',
  'worker',
] as const;

export type StageName = (typeof STAGES)[number];

/** One measurement of one round. Rates are per second, times in milliseconds. */
export type Measurement = {
  readonly stage: StageName;
  readonly round: number;
  readonly shape?: Shape;
  readonly rows: number;
  readonly requestsPerSecond?: number;
  readonly acknowledgedPerSecond?: number;
  readonly storedPerSecond?: number;
  readonly latencyMs?: LoadResult['latencyMs'];
  /** Time from the acknowledgement until the views show the batch. */
  readonly readableMs?: Readonly<Record<'p50' | 'p95', number>>;
  /** Requests that were not answered with 202. */
  readonly failures: number;
  readonly cpuMsPer1000Rows: Readonly<Record<string, number>>;
  readonly peakMiB: Readonly<Record<string, number>>;
};

/** What all stages use. */
export type Bench = {
  readonly agent: LoadAgent;
  readonly engines: readonly Watched[];
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
};

/** A part of the system under load. */
export type Stage = {
  readonly name: StageName;
  readonly target: Target;
  readonly servers: readonly Watched[];
  /** Whether `settle` waits until rows are stored. Only then is there a storing rate. */
  readonly isStoring: boolean;
  /**
   * Gets the result of a load. Resolves when exactly the acknowledged rows have arrived at the end of the stage;
   * throws otherwise.
   */
  settle(result: LoadResult): Promise<void>;
};

export type Pace = {
  readonly rate: LoadOptions['rate'];
  readonly seconds: number;
  /** A task that runs during the load until its signal is aborted. */
  readonly beside?: (over: AbortSignal) => Promise<Measurement['readableMs']>;
};

/**
 * Warms up, waits until everything has settled, then measures one load from its first request until all of it has
 * settled.
 */
export async function measureLoad(
  bench: Bench,
  { stage, round, shape }: { stage: Stage; round: number; shape: Shape },
  { rate, seconds, beside }: Pace,
): Promise<Measurement> {
  const { agent, engines, warmUpSeconds } = bench;
  const warmUp = { rate, seconds: warmUpSeconds };
  await stage.settle(await agent.run(loadOptions(shape, stage.target, warmUp)));
  const readMeter = startMeter([...stage.servers, agent, ...engines]);
  const over = new AbortController();
  const besides = beside?.(over.signal);
  const result = await agent.run(loadOptions(shape, stage.target, { rate, seconds }));
  over.abort();
  const readableMs = await besides;
  await stage.settle(result);
  const settledMs = Date.now() - result.startedAt;
  const reading = readMeter();
  const { rows } = result.acknowledged;
  const measurement: Measurement = {
    stage: stage.name,
    round,
    shape,
    rows,
    requestsPerSecond: result.requestsPerSecond,
    acknowledgedPerSecond: result.rowsPerSecond,
    ...(stage.isStoring ? { storedPerSecond: (rows * 1000) / settledMs } : {}),
    latencyMs: result.latencyMs,
    ...(readableMs === undefined ? {} : { readableMs }),
    failures: result.requests.sent - result.requests.acknowledged,
    ...perRow(reading, rows),
  };
  bench.say(lineOf(measurement));
  return measurement;
}

export function perRow({ cpuMs, peakMiB }: Reading, rows: number) {
  const cpu = Object.entries(cpuMs).map(([name, ms]) => [name, (ms * 1000) / rows] as const);
  return { cpuMsPer1000Rows: Object.fromEntries(cpu), peakMiB };
}

export function lineOf({ stage, round, shape, rows, ...figures }: Measurement): string {
  const what = shape ? ` ${nameOfShape(shape)}` : '';
  const rate = figures.storedPerSecond ?? figures.acknowledgedPerSecond ?? 0;
  const latency = figures.latencyMs ? `, p99 ${figures.latencyMs.p99.toFixed(1)} ms` : '';
  const failures = figures.failures > 0 ? `, ${figures.failures} requests failed` : '';
  return `round ${round}: ${stage}${what}: ${Math.round(rate / 1000)} k rows/s${latency}${failures} (${rows} rows)`;
}
