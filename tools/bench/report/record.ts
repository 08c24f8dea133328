import { type Measurement, STAGES } from '../rounds/measurement.ts';
import { LARGE, MIDDLE, SMALL } from '../rounds/plans.ts';
import { nameOfShape, sameShape } from '../rounds/shapes.ts';
import { rateOf, ratioToFloor, systemCpu } from '../figures.ts';

const COLUMNS = ['measurement', 'k rows/s', 'to the floor', 'p99 ms', 'CPU ms per 1,000 rows'];

/** The means of all rounds, and the highest p99, as docs/develop/benchmark.csv has them. What people run comes first. */
export function recordOf(measurements: readonly Measurement[]): string {
  const rows = namesOf(measurements).map((name) => {
    const rounds = measurements.filter((measurement) => nameOf(measurement) === name);
    const mean = (read: (round: Measurement) => number | undefined) =>
      meanOf(rounds.flatMap((round) => read(round) ?? []));
    return [
      `"${name}"`,
      shown(
        mean((round) => rateOf(round) / 1000),
        0,
      ),
      shown(
        mean((round) => ratioToFloor(round, measurements)),
        2,
      ),
      shown(highestOf(rounds.flatMap(({ latencyMs }) => latencyMs?.p99 ?? [])), 1),
      shown(mean(systemCpu), 2),
    ].join(',');
  });
  return [COLUMNS.map((column) => `"${column}"`).join(','), ...rows, ''].join('\n');
}

/** What docs/proof.md shows: rows in a second that a bare server reads, and that flagmeter stores, by the rows of a body. */
export function figuresOfProof(
  measurements: readonly Measurement[],
): { readonly rows: number; readonly floor: number; readonly everything: number }[] {
  return [LARGE, MIDDLE, SMALL].flatMap((shape) => {
    const mean = (stage: Measurement['stage']): number | undefined =>
      meanOf(
        measurements
          .filter((one) => one.stage === stage && one.shape !== undefined && sameShape(one.shape, shape))
          .map(rateOf),
      );
    const [floor, everything] = [mean('floor'), mean('flagmeter start')];
    return floor === undefined || everything === undefined ? [] : [{ rows: shape.rows, floor, everything }];
  });
}

/** The names of all measurements, in the order of the stages. */
export function namesOf(measurements: readonly Measurement[]): string[] {
  const sorted = measurements.toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage));
  return [...new Set(sorted.map(nameOf))];
}

export function nameOf({ stage, shape }: Measurement): string {
  return shape === undefined ? stage : `${stage}: ${nameOfShape(shape)}`;
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
