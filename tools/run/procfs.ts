import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** CPU time and peak memory of processes, as the kernel reports them (Linux only). */
const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK']).toString());

/** CPU time in milliseconds of a process and all its descendants, including those that have already ended. */
export function readCpuMs(root: number): number {
  const stats = readAllStats();
  const family = new Set([root]);
  // A child usually has a higher id than its parent, but ids start again from 1. So repeat until no process is added.
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of stats) if (family.has(parent)) family.add(pid);
  }
  return stats.filter(({ pid }) => family.has(pid)).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** The children of a process, with their command lines. */
export function readChildren(parentPid: number): { readonly pid: number; readonly command: string }[] {
  return readAllStats()
    .filter(({ parent }) => parent === parentPid)
    .map(({ pid }) => ({ pid, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }));
}

type Stat = { readonly pid: number; readonly parent: number; readonly cpuMs: number };

function readAllStats(): Stat[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(Number(name)) : []));
}

/** proc_pid_stat(5): state, parent, ..., utime (14), stime, cutime, cstime follow the name in brackets. */
function readStat(pid: number): Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return [{ pid, parent: Number(fields[1]), cpuMs: ticks * TICK_MS }];
  } catch {
    return []; // The process ended between the two reads.
  }
}

/** Peak memory of a process in MiB, since its start or since `forgetPeak`. */
export function readPeakMiB(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1024;
}

/** Resets the peak (proc_pid_clear_refs(5)). Without the permission, the peak since the start remains. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Then the peak is one over all stages, which is no smaller.
  }
}
