import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../processes/processes.ts';
import { StackError } from '../stack-error.ts';

const WAIT_MS = 5 * 60_000;

/**
 * Runs `action` while no other process holds the same lock. Takes over the lock of a process that has died. `waitMs`: as long as
 * another process may hold it.
 */
export async function withLock<T>(
  file: string,
  action: () => Promise<T>,
  waitMs: number = WAIT_MS,
): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  const deadline = Date.now() + waitMs;
  while (!(await tryLock(file))) {
    if (Date.now() > deadline) {
      throw new StackError('deadline', `another process has held ${file} for ${waitMs / 60_000} minutes`);
    }
    await sleep(200);
  }
  try {
    return await action();
  } finally {
    await rm(file, { force: true });
  }
}

async function tryLock(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (Number.isInteger(owner) && owner > 0 && !(await isAlive(owner))) await rm(file, { force: true });
    return false;
  }
}
