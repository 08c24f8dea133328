import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type WriteStream, createWriteStream, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadyMessage } from '#base/runtime';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { type Preload, programIn, programOf } from './programs.ts';
import { addWitness } from '../witnesses.ts';
import { watchProcess } from './watched-process.ts';

/** A service in a separate process, as in production, which a test may kill. */
export type ServiceProcess = {
  readonly url: string;
  /** Where it serves the admin API, if not there. */
  readonly adminUrl: string | undefined;
  readonly pid: number;
  /** The exit code. By then the log holds the whole output. */
  readonly exited: Promise<number | null>;
  hasEnded(): boolean;
  /** Whether the process need not answer: it has ended, is ending on request, or was frozen. */
  isExcused(): Promise<boolean>;
  /**
   * Expects the process to end by itself, and returns its exit code. Any other end that no test has asked for fails
   * the running test.
   */
  expectEnd(): Promise<number | null>;
  /** The log so far. */
  readLog(): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Collects the garbage of a process with the preload `collect-garbage`, and returns the bytes that it holds afterwards. */
  readHeldMemory(): Promise<number>;
  /** What a process with the preload `report-usage` has used since its start. */
  readUsage(): Promise<Usage>;
  /** From now on, `readUsage` of such a process also knows what turns of its event loop cost. */
  watchTurns(): void;
  /** Sends SIGTERM and waits for the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits. */
  kill(): Promise<void>;
  /** Stops it, or kills it if it was frozen, because then it may not answer a signal. */
  stopOrKill(): Promise<void>;
};

export type Usage = {
  readonly cpuMs: number;
  readonly peakBytes: number;
  /** CPU time, the longest turn first. */
  readonly longestTurnsMs: readonly number[];
};

const LAST_WORDS_MS = 5000;
const LOGS = '.local/test-logs';

export type ProcessOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly preloads?: readonly Preload[];
  /** The folder of another checkout of this repository, to run its version of the service. */
  readonly checkout?: string;
};

/** Forks `services/<service>/main` and waits until it reports that it is ready. Its output goes to a log file. */
export async function forkService(
  service: string,
  { env, preloads = [], checkout }: ProcessOptions,
): Promise<ServiceProcess> {
  mkdirSync(LOGS, { recursive: true, mode: 0o700 });
  const { file, options } =
    checkout === undefined ? programOf(service, preloads) : programIn(checkout, service);
  const child = fork(file, {
    env: { ...inheritedEnv(), ...env },
    execArgv: [...options],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const logFile = `${LOGS}/${service}-${child.pid ?? 0}.log`;
  const output = createWriteStream(logFile);
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
  const exited = endOf(child, output);
  const { url, adminUrl } = await nextMessage<ReadyMessage>(child, exited, service);
  const readLog = (): Promise<string> => readFile(logFile, 'utf8');
  const watch = watchProcess({
    child,
    name: `${service} ${child.pid ?? 0}`,
    async readLog() {
      await exited;
      return readLog();
    },
  });
  addWitness({
    tell: async () => warningsIn(`${service} ${child.pid ?? 0}`, await readLog()),
    isOver: () => watch.hasEnded(),
  });
  let wasFrozen = false;
  const signal = (name: NodeJS.Signals): void => {
    wasFrozen ||= name === 'SIGSTOP';
    if (name === 'SIGTERM' || name === 'SIGKILL') watch.expectQuietEnd();
    child.kill(name);
  };
  const end = async (name: 'SIGTERM' | 'SIGKILL'): Promise<number | null> => {
    signal(name);
    return exited;
  };
  return {
    url,
    adminUrl,
    pid: child.pid ?? 0,
    exited,
    hasEnded: () => watch.hasEnded(),
    async isExcused() {
      if (wasFrozen) return true;
      // A connection breaks before this process learns that the other one has ended.
      if (!watch.isEndExpected())
        await Promise.race([exited, sleep(LAST_WORDS_MS, undefined, { ref: false })]);
      return watch.isEndExpected() || watch.hasEnded();
    },
    expectEnd() {
      watch.expectEnd();
      return exited;
    },
    readLog,
    signal,
    async readHeldMemory() {
      const answer = nextMessage<{ readonly heldBytes: number }>(child, exited, service);
      signal('SIGUSR2');
      return (await answer).heldBytes;
    },
    readUsage() {
      const answer = nextMessage<Usage>(child, exited, service);
      child.send('usage');
      return answer;
    },
    watchTurns() {
      child.send('watch-turns');
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL');
    },
    async stopOrKill() {
      await end(wasFrozen ? 'SIGKILL' : 'SIGTERM');
    },
  };
}

/** The last warnings and errors of a log. */
function warningsIn(name: string, log: string): string {
  const lines = log.split('\n').filter((line) => /"level":[4-6]0/.test(line));
  return lines
    .slice(-5)
    .map((line) => `${name}: ${line.slice(0, 500)}`)
    .join('\n');
}

async function endOf(child: ChildProcess, output: WriteStream): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  output.end();
  await finished(output);
  return code;
}

/** The next message of a service to its parent process; rejects if the service ends before. */
async function nextMessage<T>(
  child: ChildProcess,
  exited: Promise<number | null>,
  service: string,
): Promise<T> {
  const message = once(child, 'message') as Promise<[T]>;
  const winner = await Promise.race([message, exited]);
  if (!Array.isArray(winner)) throw new Error(`${service} ended with ${String(winner)}; see ${LOGS}`);
  return winner[0];
}
