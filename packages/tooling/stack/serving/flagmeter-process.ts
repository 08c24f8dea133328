import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadyMessage, inBackground } from '#base/runtime';
import { RunError } from './terminal.ts';

/** `flagmeter start` in a separate process, as in production. */
export type FlagmeterProcess = {
  /** Resolves with the URL when it accepts batches; rejects with the reason if it cannot start. */
  readonly ready: Promise<ReadyMessage>;
  /** Rejects when the process ends although no one stopped it. */
  readonly died: Promise<never>;
  /** Drains and stops the process, whatever its state. */
  stop(): Promise<void>;
};

export type FlagmeterOptions = {
  /** The file of the command `flagmeter`. */
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  /** flagmeter and its services append their logs to this file. */
  readonly logFile: string;
};

const START_DEADLINE_MS = 15_000;
/** flagmeter forces its own exit after 25 s. */
const STOP_DEADLINE_MS = 30_000;

export function launchFlagmeter({ program, env, logFile }: FlagmeterOptions): FlagmeterProcess {
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const logStart = statSync(logFile).size;
  const child = fork(program, ['start'], {
    cwd: path.dirname(program), // from where tsx is found
    env,
    // A separate session: Ctrl-C reaches only this program, so that the standalone process is drained before the worker stops.
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  let isStopping = false;
  const ended = endOf(child);
  const failWhenEnded = async (): Promise<never> => {
    const how = await ended;
    // After `stop`, no one waits for the reason.
    if (isStopping) return new Promise<never>(() => undefined);
    const reasons = reasonsIn(readFileSync(logFile).subarray(logStart).toString());
    throw new RunError([`flagmeter ended by itself (${how}).`, ...reasons].join('\n  '));
  };
  const died = failWhenEnded();
  const message = once(child, 'message') as Promise<[ReadyMessage]>;
  const untilReady = async (): Promise<ReadyMessage> => {
    const [ready] = await Promise.race([message, died]);
    return ready;
  };
  const ready = untilReady();
  // The callers who await these promises handle the error.
  inBackground(died, () => undefined);
  inBackground(ready, () => undefined);
  return {
    ready,
    died,
    async stop() {
      isStopping = true;
      // If it were killed during its start, its services would keep running.
      await Promise.race([message, ended, sleep(START_DEADLINE_MS, undefined, { ref: false })]);
      child.kill('SIGTERM');
      const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
      await ended;
      clearTimeout(deadline);
    },
  };
}

async function endOf(child: ChildProcess): Promise<string> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return signal ?? `exit code ${code ?? 'unknown'}`;
}

const FATAL = 60;
const STACK_OR_NOISE = /^\s+at |^\W*$|^Node\.js v|^node:internal/;

/**
 * The parts of a log that a person must see: fatal messages, each once, and lines that are not JSON (a wrong
 * configuration).
 */
function reasonsIn(log: string): string[] {
  const reasons = log.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return STACK_OR_NOISE.test(line) ? [] : line.trim();
    const { level, name, err } = parseLine(line);
    return level === FATAL ? `${name ?? 'flagmeter'}: ${err?.message ?? 'unknown reason'}` : [];
  });
  return [...new Set(reasons)].slice(-10);
}

type LogLine = {
  readonly level?: number;
  readonly name?: string;
  readonly err?: { readonly message?: string };
};

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine; // our own log
  } catch {
    return {};
  }
}
