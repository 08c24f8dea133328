import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ReadyMessage } from '#runtime';

/** A service in a process of its own, as in production, that a test may kill. */
export type ServiceProcess = {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<number | null>;
  hasEnded(): boolean;
  /** What it has logged so far. */
  readLog(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and waits for the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
};

const LOGS = '.local/test-logs';

/** A module of test/support/preloads that runs in the process of a service before the service does. */
export type Preload = 'kill-at-point' | 'drop-intents' | 'no-deduplication' | 'acknowledge-early';

export type ProcessOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly preloads?: readonly Preload[];
};

/** Forks `services/<service>/main.ts` and waits until it says that it is ready. Its output goes to a log file. */
export async function forkService(
  service: string,
  { env, preloads = [] }: ProcessOptions,
): Promise<ServiceProcess> {
  mkdirSync(LOGS, { recursive: true });
  const child = fork(`services/${service}/main.ts`, {
    env: { PATH: process.env['PATH'], ...env },
    execArgv: ['--conditions=source', '--import=tsx', ...preloads.map((name) => `--import=${fileOf(name)}`)],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const logFile = `${LOGS}/${service}-${child.pid ?? 0}.log`;
  const output = createWriteStream(logFile);
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  const exited = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
  const url = await readyUrl(child, exited, service);
  return {
    url,
    pid: child.pid ?? 0,
    exited,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    readLog: () => readFile(logFile, 'utf8'),
    signal: (name) => child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function fileOf(preload: Preload): string {
  return path.resolve(`test/support/preloads/${preload}.ts`);
}

async function readyUrl(
  child: ChildProcess,
  exited: Promise<number | null>,
  service: string,
): Promise<string> {
  const ready = once(child, 'message') as Promise<[ReadyMessage]>;
  const winner = await Promise.race([ready, exited]);
  if (!Array.isArray(winner)) throw new Error(`${service} ended with ${String(winner)}; see ${LOGS}`);
  return winner[0].url;
}
