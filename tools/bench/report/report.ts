import type { Measurement } from '../rounds/measurement.ts';
import type { Read } from '../reads/reads.ts';
import { nameOf, namesOf } from './record.ts';
import { type Target, isMet } from './targets.ts';
import { cpuByProcess, ratioToFloor, systemCpu } from '../figures.ts';

/** Shows both rounds side by side: their difference is the spread. */
export function describeMeasurements(measurements: readonly Measurement[]): string {
  const lines = namesOf(measurements).map((name) => {
    const rounds = measurements.filter((measurement) => nameOf(measurement) === name);
    return [
      name,
      each(rounds, ({ requestsPerSecond }) => requestsPerSecond, whole),
      each(rounds, ({ acknowledgedPerSecond }) => acknowledgedPerSecond, thousands),
      each(rounds, ({ storedPerSecond }) => storedPerSecond, thousands),
      each(rounds, (measurement) => ratioToFloor(measurement, measurements), twoDigits),
      each(rounds, ({ latencyMs }) => latencyMs?.p50, milliseconds),
      each(rounds, ({ latencyMs }) => latencyMs?.p99, milliseconds),
      each(rounds, ({ latencyMs }) => latencyMs?.p999, milliseconds),
      each(rounds, ({ readableMs }) => readableMs?.p95, whole),
      each(rounds, ({ failures }) => failures || undefined, whole),
      each(rounds, systemCpu, twoDigits),
      cpuOf(rounds),
      peaks(rounds),
    ].join(' | ');
  });
  const header = [
    'measurement',
    'requests/s',
    'k rows/s acknowledged',
    'k rows/s stored',
    'to the floor',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    'readable p95 ms',
    'failed requests',
    'CPU ms per 1,000 rows',
    'of which',
    'peak MiB',
  ];
  return table(header, lines);
}

export function describeReads(reads: readonly Read[]): string {
  const lines = reads.map(({ name, runs, failures, p50, p95 }) =>
    [name, String(runs), String(failures), milliseconds(p50), milliseconds(p95)].join(' | '),
  );
  return table(['question', 'runs', 'failed', 'p50 ms', 'p95 ms'], lines);
}

/** Whether the run met the targets, and what bounds it where it did not. */
export function describeTargets(targets: readonly Target[]): string {
  const lines = targets.map((target) => {
    const wanted = `at ${target.isMaximum ? 'most' : 'least'} ${figure(target.wanted)}`;
    const outcome = isMet(target) ? 'met' : target.bound;
    return [target.title, target.measured.map(figure).join(' / '), wanted, outcome].join(' | ');
  });
  return table(['target', 'measured', 'wanted', 'met, or the bound'], lines);
}

function table(header: readonly string[], lines: readonly string[]): string {
  const rule = header.map((_, index) => (index === 0 ? '---' : '---:')).join(' | ');
  return [header.join(' | '), rule, ...lines].map((line) => `| ${line} |`).join('\n');
}

const SMALLEST_CPU_MS = 0.01;

function cpuOf(rounds: readonly Measurement[]): string {
  return cpuByProcess(rounds)
    .filter(({ ms }) => ms >= SMALLEST_CPU_MS)
    .map(({ name, ms }) => `${name} ${twoDigits(ms)}`)
    .join(', ');
}

function peaks(rounds: readonly Measurement[]): string {
  const names = ['floor', 'standalone', 'ingest', 'worker'];
  return names
    .map((name) => ({ name, mib: Math.max(...rounds.map(({ peakMiB }) => peakMiB[name] ?? 0)) }))
    .filter(({ mib }) => mib > 0)
    .map(({ name, mib }) => `${name} ${whole(mib)}`)
    .join(', ');
}

function each(
  rounds: readonly Measurement[],
  read: (measurement: Measurement) => number | undefined,
  show: (figure: number) => string,
): string {
  const shown = rounds.map(read).flatMap((figure) => (figure === undefined ? [] : show(figure)));
  return shown.join(' / ');
}

function figure(value: number): string {
  return value < 10 ? twoDigits(value) : whole(value);
}

function whole(figure: number): string {
  return figure.toLocaleString('en', { maximumFractionDigits: 0 });
}

function thousands(figure: number): string {
  return (figure / 1000).toFixed(figure < 100_000 ? 1 : 0);
}

function milliseconds(figure: number): string {
  return figure.toFixed(1);
}

function twoDigits(figure: number): string {
  return figure.toFixed(2);
}
