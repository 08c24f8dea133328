import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOptions, LoadResult } from '#tooling/traffic';
import type { ReadyMessage } from '#base/runtime';
import { COMPILED, ROOT } from '../../run/compile.ts';
import { readChildren } from '../../run/procfs.ts';
import type { Watched } from './meter.ts';
import { RunError } from '#tooling/stack';
import { setNiceness } from '../../stack/index.ts';
import { WORKER_NICE } from '../../../services/standalone/fork-service.ts';

/** A measured process, compiled as in production. */
export type BenchProcess = {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
};

export type LaunchOptions = {
  readonly name: string;
  /** Path in the repository, without extension. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logs: string;
  readonly args?: readonly string[];
  /** Options of Node. */
  readonly execArgv?: readonly string[];
};

const AS_IN_THE_IMAGE = { NODE_ENV: 'production', NODE_OPTIONS: '--max-semi-space-size=16' };
const READY_DEADLINE_MS = 60_000;
/** A service forces its own exit after 25 s. */
const STOP_DEADLINE_MS = 30_000;

/** Starts a program and waits until it is ready. A service is ready when /ready says so. */
export async function launch(options: LaunchOptions): Promise<BenchProcess> {
  const { child, ...started } = await start(options);
  if (options.program.startsWith('services/') || options.program.includes('ingest'))
    await untilReady(started);
  return { ...started, stop: () => stop(child) };
}

type Started = {
  /** The process that receives, and the others. The supervisor does nothing beside them. */
  readonly services: readonly [BenchProcess, ...Watched[]];
  stop(): Promise<void>;
};

/** Starts `flagmeter start`. */
export async function launchStarted(env: LaunchOptions['env'], logs: string): Promise<Started> {
  const program = 'services/cli/main';
  const supervisor = await launch({ name: 'start', program, args: ['start'], env, logs });
  const children = readChildren(supervisor.pid).flatMap(({ pid, command }) => {
    const [, name] = /services\/(\w+)\/main/.exec(command) ?? [];
    return name === undefined ? [] : [{ name, pid }];
  });
  const receiving = children.find(({ name }) => name === 'standalone');
  if (receiving === undefined) throw new RunError('flagmeter start has no standalone process.');
  const others = children.filter((child) => child !== receiving);
  return { services: [{ ...supervisor, ...receiving }, ...others], stop: () => supervisor.stop() };
}

export type LoadAgent = BenchProcess & { run(options: LoadOptions): Promise<LoadResult> };

/** The load generator: one process that generates all loads. An interruption ends it, and with it the load under way. */
export async function launchLoadAgent(logs: string, interrupted: AbortSignal): Promise<LoadAgent> {
  const program = 'tools/bench/servers/load-agent';
  const { child, ...started } = await start({ name: 'load', program, env: {}, logs });
  const end = () => child.kill('SIGTERM');
  if (interrupted.aborted) end();
  interrupted.addEventListener('abort', end);
  return {
    ...started,
    stop: () => stop(child),
    async run(options) {
      if (!child.connected) throw new RunError('The load failed: its process ended');
      child.send(options);
      const waiting = new AbortController();
      const { signal } = waiting;
      const message = once(child, 'message', { signal }) as Promise<
        [{ result?: LoadResult; error?: string }]
      >;
      const [answer] = (await Promise.race([message, ended(child, signal)])) ?? [
        { error: 'its process ended' },
      ];
      waiting.abort(); // removes the listener that did not fire
      if (answer.result === undefined) throw new RunError(`The load failed: ${answer.error ?? 'no reason'}`);
      return answer.result;
    },
  };
}

async function start({ name, program, env, logs, args = [], execArgv = [] }: LaunchOptions) {
  mkdirSync(logs, { recursive: true });
  const log = openSync(path.join(logs, `${name}.log`), 'a');
  const child = fork(path.join(COMPILED, `${program}.js`), [...args], {
    cwd: ROOT,
    env: { ...AS_IN_THE_IMAGE, PATH: process.env['PATH'], LOG_LEVEL: 'warn', ...env },
    execArgv: [...execArgv],
    // A separate session: Ctrl-C reaches only this program, which stops the process in order.
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  if (name === 'worker' && child.pid !== undefined) setNiceness(child.pid, WORKER_NICE);
  const url = await Promise.race([readyUrl(child), ended(child)]);
  if (url === undefined) throw new RunError(`${name} ended while starting.`);
  return { child, name, pid: child.pid ?? 0, url };
}

async function readyUrl(child: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(READY_DEADLINE_MS);
  const [{ url }] = (await once(child, 'message', { signal })) as [ReadyMessage];
  return url;
}

async function ended(child: ChildProcess, signal?: AbortSignal): Promise<undefined> {
  await once(child, 'exit', { signal });
}

async function untilReady({ name, url }: { name: string; url: string }): Promise<void> {
  const deadline = Date.now() + READY_DEADLINE_MS;
  while (!(await fetch(`${url}/ready`)).ok) {
    if (Date.now() > deadline)
      throw new RunError(`${name} is not ready after ${READY_DEADLINE_MS / 1000} s.`);
    await sleep(20);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
  await ended;
  clearTimeout(deadline);
}
