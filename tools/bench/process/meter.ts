import { forgetPeak, readCpuMs, readPeakMiB } from '../../run/procfs.ts';

/** A measured process. The load generator is listed under its own name, apart from the services. */
export type Watched = { readonly name: string; readonly pid: number };

export type Reading = {
  /** CPU milliseconds by process, children included. */
  readonly cpuMs: Readonly<Record<string, number>>;
  readonly peakMiB: Readonly<Record<string, number>>;
};

/** Starts the measurement. The returned function reports the usage since then. */
export function startMeter(processes: readonly Watched[]): () => Reading {
  for (const { pid } of processes) forgetPeak(pid);
  const before = processes.map(({ pid }) => readCpuMs(pid));
  return () => ({
    cpuMs: Object.fromEntries(
      processes.map(({ name, pid }, index) => [name, readCpuMs(pid) - (before[index] ?? 0)]),
    ),
    peakMiB: Object.fromEntries(processes.map(({ name, pid }) => [name, readPeakMiB(pid)])),
  });
}
