import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, runPs, signalQuietly } from '#tooling/stack';

const LOOK_MS = 50;

/** The process ids of all descendants of processes, after these themselves, parents first. */
export async function descendantsOf(roots: Iterable<number>): Promise<number[]> {
  const lines = (await runPs('-e', '-o', 'pid=,ppid=')).split('\n');
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const found = new Set(roots);
  // A set also passes on what is added meanwhile.
  for (const parent of found) for (const [pid = 0, ppid] of processes) if (ppid === parent) found.add(pid);
  return [...found];
}

/**
 * Ends a process and all its descendants, whatever their session or state: by SIGTERM, and by SIGKILL after the
 * deadline.
 */
export async function endTree(root: number, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let signalled: ReadonlySet<number> = new Set();
  let left = [root];
  while (left.length > 0) {
    const isLate = Date.now() > deadline;
    // A process that ends may have started another one just before.
    const all = await descendantsOf(left);
    for (const pid of all) {
      if (isLate) signalQuietly(pid, 'SIGKILL');
      else if (!signalled.has(pid)) {
        signalQuietly(pid, 'SIGTERM');
        signalQuietly(pid, 'SIGCONT');
      }
    }
    signalled = new Set([...signalled, ...all]);
    await sleep(LOOK_MS);
    left = await living(all);
  }
}

async function living(pids: readonly number[]): Promise<number[]> {
  const alive = await Promise.all(pids.map(isAlive));
  return pids.filter((_pid, index) => alive[index]);
}
