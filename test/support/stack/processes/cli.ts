import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { eventually } from '../../eventually.ts';
import type { World } from '../../world.ts';
import { programOf } from './programs.ts';

const { file, options: nodeOptions } = programOf('cli');
export const CLI_COMMAND = [...nodeOptions, file];

export type CliEnding = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs the CLI as an operator does, and waits for its end. `env` overrides the environment of the world. */
export function runCli(
  world: World,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CliEnding> {
  const options = { env: cliEnv(world, env), timeout: 60_000 };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...CLI_COMMAND, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error ?? new Error('ended by a signal'));
    });
  });
}

/** Starts the CLI, waits until it has written some lines, runs `then`, waits for as many more, and presses Ctrl-C. */
export async function watchCli(
  world: World,
  args: readonly string[],
  { lines: count, then }: { readonly lines: number; readonly then: () => Promise<unknown> },
): Promise<{ readonly lines: readonly string[]; readonly code: number | null }> {
  const child = spawn(process.execPath, [...CLI_COMMAND, ...args], {
    env: cliEnv(world),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  try {
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const has = (min: number) =>
      eventually(
        () => Promise.resolve(lines.length),
        (length) => length >= min,
      );
    await has(count);
    await then();
    await has(2 * count);
    child.kill('SIGINT');
    const [code] = await exited;
    return { lines, code };
  } finally {
    child.kill('SIGKILL');
  }
}

export function cliEnv(world: World, env: Record<string, string> = {}): Record<string, string | undefined> {
  return { ...inheritedEnv(), ...world.env, LOG_LEVEL: 'warn', ...env };
}
