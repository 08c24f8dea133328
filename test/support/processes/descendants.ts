import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The descendant of a process that runs a program. */
export async function pidOf(root: number, program: string): Promise<number> {
  for (const pid of await descendantsOf(root)) {
    const { stdout } = await run('ps', ['-p', String(pid), '-o', 'args=']);
    if (stdout.includes(program)) return pid;
  }
  throw new Error(`${program} is not running`);
}

/** The process ids of all descendants of a process. */
export async function descendantsOf(root: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=']);
  const processes = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [root];
  for (const parent of found)
    found.push(...processes.flatMap(([pid, ppid]) => (ppid === parent ? (pid ?? 0) : [])));
  return found;
}
