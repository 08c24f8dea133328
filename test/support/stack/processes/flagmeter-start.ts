import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ReadyMessage } from '#base/runtime';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import type { World } from '../../world.ts';
import { programOf } from './programs.ts';
import { watchProcess } from './watched-process.ts';

/** `flagmeter start` in a separate process, with its processes. */
export type FlagmeterStart = {
  readonly url: string;
  /** The current process of each name, according to the log. */
  pids(): ReadonlyMap<string, number>;
  readLog(): string;
  /** How many processes that take bodies have begun to listen, those that have ended included, according to the log. */
  countListening(): number;
  signal(name: NodeJS.Signals): void;
  /** The test kills one of its processes, which it reports. */
  expectTrouble(): void;
  /** Sends SIGTERM and waits for the exit code. */
  stop(): Promise<number | null>;
};

type Env = Readonly<Record<string, string | undefined>>;

export function launchStart(world: World, env: Env): Promise<FlagmeterStart> {
  const { file, options } = programOf('cli');
  return launchCommand(world, [process.execPath, ...options, file], env);
}

/** The same with another way to call `flagmeter`. */
export async function launchCommand(
  world: World,
  [command, ...args]: readonly [string, ...string[]],
  env: Env,
): Promise<FlagmeterStart> {
  const child = spawn(command, [...args, 'start'], {
    env: { ...inheritedEnv(), ...world.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const watch = watchProcess({ child, name: 'flagmeter start', readLog: () => Promise.resolve(log) });
  const [{ url }] = (await once(child, 'message')) as [ReadyMessage];
  return {
    url,
    pids() {
      const started = log.matchAll(/"service":"([\w-]+)","pid":(\d+),"msg":"service started"/g);
      return new Map([...started].map(([, name = '', pid]) => [name, Number(pid)]));
    },
    readLog: () => log,
    countListening: () => log.split('"name":"standalone","url"').length - 1,
    signal: (name) => child.kill(name),
    expectTrouble: () => {
      watch.expectEnd();
    },
    async stop() {
      watch.expectQuietEnd();
      const exited = once(child, 'close') as Promise<[number | null]>;
      child.kill('SIGTERM');
      return (await exited)[0];
    },
  };
}
