import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ServiceProcess } from '../processes/process.ts';

/** Resident memory of a process, in bytes. */
export async function readMemory({ pid }: Pick<ServiceProcess, 'pid'>): Promise<number> {
  return (process.platform === 'linux' ? await readStatus(pid) : await askPs(pid)) * 1024;
}

/** Much cheaper than `ps`, for frequent reads. */
async function readStatus(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
}

async function askPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout);
}
