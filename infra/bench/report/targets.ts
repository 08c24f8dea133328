import type { Measurement, StageName } from '../measurement.ts';
import type { Read } from '../reads/reads.ts';
import type { Shape } from '../shapes.ts';
import { ratioToFloor, systemCpu } from './figures.ts';

/** Targets of the system on two cores, including the load generator and the engines. */
export type Target = {
  readonly name: string;
  readonly wanted: number;
  /** Whether a higher figure is better. */
  readonly isLeast: boolean;
  /** The figure in each round. */
  readonly measured: readonly number[];
};

type Figure = (measurement: Measurement) => number | undefined;

const acknowledged: Figure = ({ acknowledgedPerSecond }) => acknowledgedPerSecond;
const stored: Figure = ({ storedPerSecond }) => storedPerSecond;
const p99: Figure = ({ latencyMs }) => latencyMs?.p99;
const readable: Figure = ({ readableMs }) => readableMs?.p95;

/** Every target for which these measurements have a figure. */
export function readTargets(all: readonly Measurement[], reads: readonly Read[]): Target[] {
  const figures = (stage: StageName, shape: Partial<Shape>, read: Figure): number[] =>
    all.flatMap((measurement) => (matches(measurement, stage, shape) ? (read(measurement) ?? []) : []));
  const ratio: Figure = (measurement) => ratioToFloor(measurement, all);
  const least = (name: string, wanted: number, measured: number[]) => ({
    name,
    wanted,
    isLeast: true,
    measured,
  });
  const most = (name: string, wanted: number, measured: number[]) => ({
    name,
    wanted,
    isLeast: false,
    measured,
  });
  const memory = 'ingest, broker in memory';
  const realistic = { keys: 'realistic', connections: 16 } as const;
  const usual = (rows: number) => ({ rows, ...realistic });
  const targets = [
    least('broker in memory to the floor, 480 rows', 0.75, figures(memory, usual(480), ratio)),
    least('broker in memory to the floor, 100 rows', 0.7, figures(memory, usual(100), ratio)),
    least('broker in memory to the floor, 10 rows', 0.6, figures(memory, usual(10), ratio)),
    least('ingest to the floor, 480 rows', 0.5, figures('ingest, Kafka', usual(480), ratio)),
    least('ingest, rows/s, 480 rows', 600_000, figures('ingest, Kafka', usual(480), acknowledged)),
    least('ingest, rows/s, 10 rows', 90_000, figures('ingest, Kafka', usual(10), acknowledged)),
    least(
      'ingest, rows/s, 10 rows, 128 connections',
      150_000,
      figures('ingest, Kafka', { rows: 10, connections: 128 }, acknowledged),
    ),
    least('worker, rows/s', 500_000, figures('worker', {}, stored)),
    least('worker without inserting, rows/s', 2_000_000, figures('worker, without inserting', {}, stored)),
    least('everything, rows/s stored, 480 rows', 400_000, figures('everything', usual(480), stored)),
    least('everything, rows/s stored, 100 rows', 250_000, figures('everything', usual(100), stored)),
    least('everything, rows/s stored, 10 rows', 80_000, figures('everything', usual(10), stored)),
    least('everything, many keys to few keys', 0.6, manyToFew(all)),
    most('everything, CPU ms per 1,000 rows, 480 rows', 4.5, figures('everything', usual(480), systemCpu)),
    most('everything, CPU ms per 1,000 rows, 10 rows', 12, figures('everything', usual(10), systemCpu)),
    most('p99 ms of answers at half rate, 480 rows', 25, figures('everything at half rate', usual(480), p99)),
    most('p99 ms of answers at half rate, 10 rows', 25, figures('everything at half rate', usual(10), p99)),
    most('p95 ms until readable, 480 rows', 2500, figures('everything at half rate', usual(480), readable)),
    most('p95 ms until readable, 10 rows', 2500, figures('everything at half rate', usual(10), readable)),
    most('peak MiB of ingest', 200, peakOf(all, 'ingest')),
    most('peak MiB of the worker', 250, peakOf(all, 'worker')),
    most('p95 ms of the slowest admin usage query', 100, slowestAdminRead(reads)),
  ];
  return targets.filter(({ measured }) => measured.length > 0);
}

function matches({ stage, shape }: Measurement, wantedStage: StageName, wanted: Partial<Shape>): boolean {
  if (stage !== wantedStage) return false;
  const entries = Object.entries(wanted);
  return shape === undefined
    ? entries.length === 0
    : Object.entries({ ...shape, ...wanted }).every(isEqualIn(shape));
}

function isEqualIn(shape: Shape) {
  const own: Readonly<Record<string, unknown>> = shape;
  return ([key, value]: [string, unknown]): boolean => own[key] === value;
}

function manyToFew(all: readonly Measurement[]): number[] {
  const whole = all.filter(({ stage }) => stage === 'everything');
  return whole.flatMap(({ round, shape, storedPerSecond }) => {
    const few = whole.find((other) => other.round === round && other.shape?.keys === 'few')?.storedPerSecond;
    return shape?.keys === 'many' && storedPerSecond !== undefined && few !== undefined
      ? storedPerSecond / few
      : [];
  });
}

/** The highest value of each round. */
function peakOf(all: readonly Measurement[], name: string): number[] {
  const rounds = [...new Set(all.map(({ round }) => round))];
  return rounds.flatMap((round) => {
    const peaks = all.flatMap((other) => (other.round === round ? (other.peakMiB[name] ?? []) : []));
    return peaks.length === 0 ? [] : Math.max(...peaks);
  });
}

function slowestAdminRead(reads: readonly Read[]): number[] {
  const slow = reads.flatMap(({ name, p95 }) => (name.startsWith('admin: usage') ? p95 : []));
  return slow.length === 0 ? [] : [Math.max(...slow)];
}
