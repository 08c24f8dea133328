import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { descendantsOf, isAlive } from '../../../../tools/stack/index.ts';
import { eventually } from '../../eventually.ts';

/** With downloads, on a busy machine. */
const START_MS = 550_000;

export const STOPPED = 'stopped, engines included';

/** `flagmeter try` in a shell of its own. */
export type Trial = {
  /** The link that signs in to the console. */
  readonly link: string;
  /** Its processes and engines. */
  pids(): Promise<readonly number[]>;
  /** Ctrl-C: signals every process in the foreground of the terminal. Returns all output once it has ended. */
  interrupt(): Promise<string>;
};

type Options = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

/** Runs the command until it shows the link. `home` is the folder that it keeps everything in. */
export async function launchTrial(command: string, home: string, { cwd, env }: Options): Promise<Trial> {
  const child = spawn('bash', ['--norc', '-c', command], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await eventually(
    () => Promise.resolve({ printed, hasEnded: child.exitCode !== null }),
    (now) => now.printed.includes('flagmeter is ready') || now.hasEnded,
    START_MS,
  );
  if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${printed}`);
  const steps = await readFile(path.join(home, 'try/first-steps.txt'), 'utf8');
  const group = child.pid ?? 0;
  return {
    link: /^The console: (\S+)$/m.exec(steps)?.[1] ?? '',
    async pids() {
      const supervisor = (await readFile(path.join(home, 'try/run/supervisor.pid'), 'utf8')).split('\n')[0];
      return descendantsOf([group, Number(supervisor)]);
    },
    async interrupt() {
      process.kill(-group, 'SIGINT');
      await closed;
      return printed;
    },
  };
}

export async function livingOf(pids: readonly number[]): Promise<number[]> {
  const alive = await Promise.all(pids.map(isAlive));
  return pids.filter((_pid, index) => alive[index]);
}
