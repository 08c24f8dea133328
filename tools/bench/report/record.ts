import type { Measurement } from '../rounds/measurement.ts';
import { nameOfShape } from '../rounds/shapes.ts';
import { ratioToFloor, ratioWithAddition, systemCpu } from '../figures.ts';

const COLUMNS = ['measurement', 'k rows/s', 'to the floor', 'p99 ms', 'CPU ms per 1,000 rows', 'as Edge'];

/** The means of all rounds, and the highest p99, as docs/develop/benchmark.csv has them. */
export function recordOf(measurements: readonly Measurement[]): string {
  const plain = measurements.filter(({ shape }) => shape?.imitatesEdge !== true && shape?.measures !== true);
  const names = [...new Set(plain.map(nameOf))];
  const rows = names.map((name) => {
    const rounds = plain.filter((measurement) => nameOf(measurement) === name);
    const mean = (read: (round: Measurement) => number | undefined) =>
      meanOf(rounds.flatMap((round) => read(round) ?? []));
    return [
      `"${name}"`,
      shown(mean(rateOf), 0),
      shown(
        mean((round) => ratioToFloor(round, measurements)),
        2,
      ),
      shown(highestOf(rounds.flatMap(({ latencyMs }) => latencyMs?.p99 ?? [])), 1),
      shown(mean(systemCpu), 2),
      shown(
        mean((round) => ratioWithAddition(round, measurements, { imitatesEdge: true })),
        2,
      ),
    ].join(',');
  });
  return [COLUMNS.map((column) => `"${column}"`).join(','), ...rows, ''].join('\n');
}

function nameOf({ stage, shape }: Measurement): string {
  return shape === undefined ? stage : `${stage}: ${nameOfShape(shape)}`;
}

function rateOf({ storedPerSecond, acknowledgedPerSecond = 0 }: Measurement): number {
  return (storedPerSecond ?? acknowledgedPerSecond) / 1000;
}

function meanOf(figures: readonly number[]): number | undefined {
  return figures.length === 0 ? undefined : figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

function highestOf(figures: readonly number[]): number | undefined {
  return figures.length === 0 ? undefined : Math.max(...figures);
}

function shown(figure: number | undefined, digits: number): string {
  return figure === undefined ? '' : figure.toFixed(digits);
}
