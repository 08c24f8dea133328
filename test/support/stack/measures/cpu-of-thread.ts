import { readFile } from 'node:fs/promises';
import type { ServiceProcess } from '../processes/process.ts';

/**
 * Nanoseconds for which the main thread of a process has run since its start. Zero if it has ended, or on other systems
 * than Linux.
 */
export async function readCpuNs({ pid }: Pick<ServiceProcess, 'pid'>): Promise<number> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '');
  return Number(text.split(' ')[0]);
}
