import type { Measurement, StageName } from '../rounds/measurement.ts';
import type { Read } from '../reads/reads.ts';
import { LARGE, MANY_CONNECTIONS, MANY_KEYS, MIDDLE, SMALL } from '../rounds/plans.ts';
import { type Shape, nameOfShape, sameShape } from '../rounds/shapes.ts';
import { cpuByProcess, mean, ratioToFloor, systemCpu } from '../figures.ts';

/** What we want of two cores: mostly ratios to another figure of the same round, because machines differ by a factor of three. */
export type Target = {
  readonly title: string;
  readonly wanted: number;
  readonly isMaximum: boolean;
  /** One figure for each round. */
  readonly measured: readonly number[];
  /** What bounds the figure, from the same run. */
  readonly bound: string;
};

export type Run = {
  readonly measurements: readonly Measurement[];
  /** Empty if the read side was not measured. */
  readonly reads: readonly Read[];
  readonly cores: number;
};

/** The targets that this run measured. */
export function targetsOf(run: Run): Target[] {
  const all: Target[] = [
    storedToFloor(run, LARGE, 0.55),
    storedToFloor(run, MIDDLE, 0.45),
    storedToFloor(run, SMALL, 0.32),
    storedToFloor(run, MANY_KEYS, 0.25),
    manyConnectionsToFew(run, SMALL),
    cpuToFloor(run, LARGE, 2.5),
    cpuToFloor(run, SMALL, 4),
    inMemoryToFloor(run, MIDDLE, 0.8),
    inMemoryToFloor(run, SMALL, 0.6),
    p99ToMedianAtHalfRate(run, LARGE),
    p99ToMedianAtHalfRate(run, SMALL),
    peak(run, 'standalone', 200),
    peak(run, 'worker', 250),
    slowestQuestion(run, 100),
  ];
  return all.filter(({ measured }) => measured.length > 0);
}

export function isMet({ measured, wanted, isMaximum }: Target): boolean {
  return measured.every((figure) => (isMaximum ? figure <= wanted : figure >= wanted));
}

function storedToFloor(run: Run, shape: Shape, wanted: number): Target {
  const rounds = roundsOf(run, 'flagmeter start', shape);
  return {
    title: `flagmeter start to the floor, ${nameOfShape(shape)}`,
    wanted,
    isMaximum: false,
    measured: figures(rounds, (round) => ratioToFloor(round, run.measurements)),
    bound: boundByCpu(rounds, run.cores),
  };
}

function cpuToFloor(run: Run, shape: Shape, wanted: number): Target {
  const rounds = roundsOf(run, 'flagmeter start', shape);
  const floors = roundsOf(run, 'floor', shape);
  return {
    title: `CPU of a row to that of the floor, ${nameOfShape(shape)}`,
    wanted,
    isMaximum: true,
    measured: ratios(rounds, floors, systemCpu),
    bound: `ms for 1,000 rows: ${parts(rounds)}; ${parts(floors)}`,
  };
}

function manyConnectionsToFew(run: Run, shape: Shape): Target {
  const many = roundsOf(run, 'flagmeter start', { ...shape, connections: MANY_CONNECTIONS });
  const few = roundsOf(run, 'flagmeter start', shape);
  return {
    title: `flagmeter start, ${MANY_CONNECTIONS} connections to ${shape.connections}, ${nameOfShape(shape)}`,
    wanted: 1.5,
    isMaximum: false,
    measured: ratios(many, few, ({ storedPerSecond }) => storedPerSecond),
    bound: boundByCpu(many, run.cores),
  };
}

function inMemoryToFloor(run: Run, shape: Shape, wanted: number): Target {
  const rounds = roundsOf(run, 'ingest, broker in memory', shape);
  const floor = roundsOf(run, 'floor', shape);
  return {
    title: `broker in memory to the floor, ${nameOfShape(shape)}`,
    wanted,
    isMaximum: false,
    measured: figures(rounds, (round) => ratioToFloor(round, run.measurements)),
    bound: `a request takes ingest ${microseconds(rounds, 'ingest')} us of CPU, and the floor ${microseconds(floor, 'floor')} us`,
  };
}

function p99ToMedianAtHalfRate(run: Run, shape: Shape): Target {
  const rounds = roundsOf(run, 'flagmeter start at half rate', shape);
  const medians = figures(rounds, ({ latencyMs }) => latencyMs?.p50);
  return {
    title: `p99 of answers to their median, at half rate, ${nameOfShape(shape)}`,
    wanted: 5,
    isMaximum: true,
    measured: figures(rounds, ({ latencyMs }) => latencyMs && latencyMs.p99 / latencyMs.p50),
    bound: `the median is ${mean(medians).toFixed(1)} ms; the slow answers wait for a core: ${parts(rounds)}`,
  };
}

function peak({ measurements }: Run, name: string, wanted: number): Target {
  const rounds = [...new Set(measurements.map(({ round }) => round))];
  const peaks = rounds.map((round) =>
    Math.max(0, ...measurements.map((one) => (one.round === round ? (one.peakMiB[name] ?? 0) : 0))),
  );
  const highest = measurements.find(({ peakMiB }) => peakMiB[name] === Math.max(...peaks));
  return {
    title: `peak MiB of ${name}`,
    wanted,
    isMaximum: true,
    measured: peaks.filter((mib) => mib > 0),
    bound: `highest at: ${highest?.stage ?? ''}${highest?.shape === undefined ? '' : `, ${nameOfShape(highest.shape)}`}`,
  };
}

function slowestQuestion({ reads }: Run, wanted: number): Target {
  const slow = reads.filter(({ p95 }) => p95 > wanted).sort((a, b) => b.p95 - a.p95);
  return {
    title: 'p95 ms of the slowest question',
    wanted,
    isMaximum: true,
    measured: reads.length === 0 ? [] : [Math.max(...reads.map(({ p95 }) => p95))],
    bound: `${slow.length} of ${reads.length} questions are slower: ${slow.map(({ name, p95 }) => `${name} ${Math.round(p95)}`).join('; ')}`,
  };
}

function roundsOf({ measurements }: Run, stage: StageName, shape: Shape): Measurement[] {
  return measurements.filter(
    (one) => one.stage === stage && one.shape !== undefined && sameShape(one.shape, shape),
  );
}

function figures(rounds: readonly Measurement[], read: (round: Measurement) => number | undefined): number[] {
  return rounds.flatMap((round) => read(round) ?? []);
}

/** A figure of each round to that of the other measurement in the same round. */
function ratios(
  rounds: readonly Measurement[],
  others: readonly Measurement[],
  read: (round: Measurement) => number | undefined,
): number[] {
  return figures(rounds, (one) => {
    const other = others.find(({ round }) => round === one.round);
    const [figure, base] = [read(one), other && read(other)];
    return figure === undefined || base === undefined ? undefined : figure / base;
  });
}

/** Of all processes and engines, also of the load generator, because it takes part of the same cores. */
function cpuMs({ cpuMsPer1000Rows }: Measurement): number {
  return Object.values(cpuMsPer1000Rows).reduce((sum, ms) => sum + ms, 0);
}

function boundByCpu(rounds: readonly Measurement[], cores: number): string {
  const ms = mean(rounds.map(cpuMs));
  return `1,000 rows take ${ms.toFixed(1)} ms of CPU (${parts(rounds)}), so ${cores} cores store at most ${Math.round((cores * 1000) / ms)} k rows/s`;
}

/** The CPU of 1,000 rows by process, the largest first. */
function parts(rounds: readonly Measurement[]): string {
  return cpuByProcess(rounds)
    .sort((a, b) => b.ms - a.ms)
    .filter(({ ms }, place) => place < 4 && ms > 0)
    .map(({ name, ms }) => `${name} ${ms.toFixed(1)}`)
    .join(', ');
}

function microseconds(rounds: readonly Measurement[], name: string): string {
  return mean(
    rounds.map(({ cpuMsPer1000Rows, shape }) => (cpuMsPer1000Rows[name] ?? 0) * (shape?.rows ?? 0)),
  ).toFixed(0);
}
