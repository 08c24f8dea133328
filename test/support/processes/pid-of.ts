import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { descendantsOf } from '../../../tools/stack/index.ts';

/** The descendant of a process that runs a program. */
export async function pidOf(root: number, program: string): Promise<number> {
  for (const pid of await descendantsOf([root])) {
    const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'args=']);
    if (stdout.includes(program)) return pid;
  }
  throw new Error(`${program} is not running`);
}
