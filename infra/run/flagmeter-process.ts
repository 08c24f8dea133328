import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadyMessage, inBackground } from '#runtime';
import { RunError } from './run-program.ts';

/** `flagmeter start` in a process of its own, as in production. */
export type FlagmeterProcess = {
  /** Its URL when it takes batches; rejects with the reason when it cannot start. */
  readonly ready: Promise<string>;
  /** Rejects when it ends without having been told to. */
  readonly died: Promise<never>;
  /** Drains and ends it, whatever state it is in. */
  stop(): Promise<void>;
};

export type FlagmeterOptions = {
  readonly env: NodeJS.ProcessEnv;
  /** Its log and that of its services are appended here. */
  readonly logFile: string;
};

const ROOT = path.resolve(import.meta.dirname, '../..');
const START_DEADLINE_MS = 15_000;
/** It gives up itself after 25 s. */
const STOP_DEADLINE_MS = 30_000;

export function launchFlagmeter({ env, logFile }: FlagmeterOptions): FlagmeterProcess {
  mkdirSync(path.dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'a');
  const logStart = statSync(logFile).size;
  const child = fork(path.join(ROOT, 'services/cli/main.ts'), ['start'], {
    cwd: ROOT, // where tsx is found
    env: { ...env, LOG_LEVEL: env['LOG_LEVEL'] || 'info' },
    // In a session of its own: Ctrl-C reaches only us, so that the standalone process is drained before the worker stops.
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  let isStopping = false;
  const ended = endOf(child);
  const failWhenEnded = async (): Promise<never> => {
    const how = await ended;
    // When it was told to end there is nobody to tell.
    if (isStopping) return new Promise<never>(() => undefined);
    const reasons = reasonsIn(readFileSync(logFile).subarray(logStart).toString());
    throw new RunError([`flagmeter ended by itself (${how}).`, ...reasons].join('\n  '));
  };
  const died = failWhenEnded();
  const message = once(child, 'message') as Promise<[ReadyMessage]>;
  const readyUrl = async (): Promise<string> => {
    const [{ url }] = await Promise.race([message, died]);
    return url;
  };
  const ready = readyUrl();
  // Whoever waits for them learns of it.
  inBackground(died, () => undefined);
  inBackground(ready, () => undefined);
  return {
    ready,
    died,
    async stop() {
      isStopping = true;
      // Killed during its start it would leave services behind that do not know of its death.
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

/** What a person must know of a log: fatal messages, each once, and lines that are not JSON (a wrong configuration). */
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
