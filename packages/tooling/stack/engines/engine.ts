import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOf } from '../layout.ts';
import { setNiceness } from '../processes/niceness.ts';
import { closeToOthers } from '../processes/private-files.ts';
import { type StopSignal, recordProcess } from '../processes/processes.ts';
import { StackError } from '../stack-error.ts';
import { type EngineLog, openLog } from './engine-log.ts';

/** One running engine. `pid` is the process of the engine itself, so a signal reaches only the engine. */
export type Engine = {
  readonly name: string;
  readonly address: string;
  readonly pid: number;
  /** Resolves when the process has ended, for whatever reason; never rejects. */
  readonly exited: Promise<void>;
  /** Stops it cleanly, or by SIGKILL after a deadline. May be called twice, and on an engine that has ended. */
  stop(): Promise<void>;
  signal(name: NodeJS.Signals): void;
};

export type Launch = {
  /** Name of the folder, the log and the pid file, such as `kafka-2`. */
  readonly name: string;
  /** Name in messages. */
  readonly title: string;
  readonly address: string;
  readonly directory: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its niceness, 0 to 19, if it should be more than ours. */
  readonly nice?: number | undefined;
  readonly options?: Pick<SpawnOptions, 'uid' | 'gid' | 'cwd' | 'argv0' | 'env'>;
  /** A part of the command line that only this engine has. */
  readonly mark: string;
  /** Called repeatedly with the log so far, until it returns true. Must return within seconds. */
  readonly isReady: (pid: number, log: string) => Promise<boolean>;
  /** By default three minutes, because a busy machine may take ten times as long as an idle one. An engine that ends is noticed at once. */
  readonly readyTimeoutMs?: number;
  readonly stopSignal: StopSignal | 'end of stdin';
};

const stopTimeoutMs = 15_000;

/** Starts the process of an engine and waits until it is ready. Errors carry the last lines of its log. */
export async function launchEngine(launch: Launch): Promise<Engine> {
  const files = filesOf(launch.directory, launch.name);
  await closeToOthers(launch.directory, launch.name);
  const log = openLog(files.log);
  // A separate session: Ctrl-C in the terminal must not reach the engine before the program that stops it in order.
  const child = spawn(launch.command, launch.args, {
    ...launch.options,
    detached: true,
    stdio: ['pipe', log.descriptor, log.descriptor],
  });
  child.stdin?.on('error', () => undefined); // The pipe of a process that has just ended may be closed.
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
    child.once('error', () => {
      resolve();
    });
  });
  log.close();
  const pid = child.pid;
  if (pid === undefined)
    throw new StackError('not-ready', `${launch.title}: ${launch.command} cannot be run`);
  setNiceness(pid, launch.nice ?? 0);
  const recorded = { pid, mark: launch.mark, stopSignal: signalOf(launch) };
  await recordProcess(files.pid, { ...recorded, isReady: false });
  const engine: Engine = {
    name: launch.name,
    address: launch.address,
    pid,
    exited,
    stop: () => stopChild(child, { exited, launch, pidFile: files.pid }),
    signal: (name) => {
      child.kill(name);
    },
  };
  try {
    await waitUntilReady(child, launch, log);
    await recordProcess(files.pid, { ...recorded, isReady: true });
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    rmSync(files.pid, { force: true });
    throw error;
  }
  return engine;
}

async function waitUntilReady(child: ChildProcess, launch: Launch, log: EngineLog): Promise<void> {
  const { readyTimeoutMs = 180_000 } = launch;
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    if (hasEnded(child)) throw notReady(`${launch.title} ended while starting`, log);
    if (await launch.isReady(child.pid ?? 0, log.read())) return;
    if (Date.now() > deadline) {
      throw notReady(`${launch.title} is not ready after ${readyTimeoutMs / 1000} s`, log);
    }
    await sleep(40);
  }
}

function notReady(problem: string, log: EngineLog): StackError {
  return new StackError('not-ready', `${problem}; its last lines:\n${log.lastLines(15)}`);
}

async function stopChild(
  child: ChildProcess,
  { exited, launch, pidFile }: { exited: Promise<void>; launch: Launch; pidFile: string },
): Promise<void> {
  if (!hasEnded(child)) {
    if (launch.stopSignal === 'end of stdin') child.stdin?.end();
    else child.kill(launch.stopSignal);
    child.kill('SIGCONT'); // A frozen engine cannot react to the end of stdin.
    const force = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(force);
  }
  rmSync(pidFile, { force: true });
}

/** A program that did not start the engine has no pipe to it, and can only send signals. */
function signalOf({ stopSignal }: Launch): StopSignal {
  return stopSignal === 'end of stdin' ? 'SIGTERM' : stopSignal;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
