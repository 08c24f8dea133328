import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { aborted } from '#tooling/stack';

/** Runs test.ts with these arguments in a separate process, which ends in order if interrupted. Returns its exit code. */
export async function runSuite(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  interrupted: AbortSignal,
): Promise<number> {
  const suite = path.join(import.meta.dirname, 'test.ts');
  const child = spawn(process.execPath, [...process.execArgv, suite, ...args], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  await Promise.race([exited, aborted(interrupted)]);
  if (interrupted.aborted) child.kill('SIGTERM');
  const [code] = await exited;
  return code ?? 1;
}
