import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '../processes/process.ts';

/** Nanoseconds for which the main thread of a process ran, and for which it was ready to run but had no core. */
export type Scheduling = { readonly ranNs: number; readonly waitedNs: number };

const NOTHING: Scheduling = { ranNs: 0, waitedNs: 0 };

/** The times since the start of the process. Zero if it has ended, or on other systems than Linux. */
export async function readScheduling({ pid }: Pick<ServiceProcess, 'pid'>): Promise<Scheduling> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '');
  const [ranNs, waitedNs] = text.split(' ').map(Number);
  return ranNs === undefined || waitedNs === undefined ? NOTHING : { ranNs, waitedNs };
}

/**
 * How many times longer work took between the two readings because other processes had the cores: 1 on an idle
 * machine, 3 if two other processes always want the same core.
 */
export function contentionOf(before: Scheduling, after: Scheduling): number {
  const ran = after.ranNs - before.ranNs;
  return ran > 0 ? 1 + (after.waitedNs - before.waitedNs) / ran : 1;
}
