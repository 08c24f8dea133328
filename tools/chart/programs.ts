import { spawnSync } from 'node:child_process';

/** Runs a program to its end and returns what it printed; throws with its errors if it fails. */
export function run(program: string, args: readonly string[], input?: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 5 * 60_000,
    input: input ?? '',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

export function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}
