import type { Measurement } from './rounds/measurement.ts';
import type { Shape } from './rounds/shapes.ts';

/**
 * Acknowledged rows (or stored rows, if the stage stores them) relative to the floor of the same round and body. Points of OpenTelemetry
 * are compared with as many rows of a relay.
 */
export function ratioToFloor(measurement: Measurement, all: readonly Measurement[]): number | undefined {
  const { round, shape, stage } = measurement;
  if (stage === 'floor' || stage.endsWith('at half rate')) return undefined;
  const floor = all.find(
    (other) =>
      other.stage === 'floor' &&
      other.round === round &&
      other.shape?.rows === shape?.rows &&
      isOfSdk(other.shape) === isOfSdk(shape) &&
      other.shape?.connections === shape?.connections,
  );
  if (floor === undefined) return undefined;
  return rateOf(measurement) / (floor.acknowledgedPerSecond ?? Infinity);
}

function isOfSdk(shape: Shape | undefined): boolean {
  return shape?.format === 'sdk';
}

/** Stored rows; acknowledged rows if the stage stores none. */
export function rateOf({ storedPerSecond, acknowledgedPerSecond = 0 }: Measurement): number {
  return storedPerSecond ?? acknowledgedPerSecond;
}

/** All processes and engines except the load generator. */
export function systemCpu({ cpuMsPer1000Rows }: Measurement): number {
  return Object.entries(cpuMsPer1000Rows).reduce((sum, [name, ms]) => (name === 'load' ? sum : sum + ms), 0);
}

/** CPU milliseconds for 1,000 rows of each process, as the mean of these rounds. */
export function cpuByProcess(rounds: readonly Measurement[]): { name: string; ms: number }[] {
  return Object.keys(rounds[0]?.cpuMsPer1000Rows ?? {}).map((name) => ({
    name,
    ms: mean(rounds.map(({ cpuMsPer1000Rows }) => cpuMsPer1000Rows[name] ?? 0)),
  }));
}

export function mean(figures: readonly number[]): number {
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}

/** The percentile `share` (0 to 1) of the values; 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
}
