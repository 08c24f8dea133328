import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from '../stack-error.ts';

/**
 * A process that may outlive the one that started it. `mark` is a part of its command line that no other process has
 * (one of our paths), because the system may have given the process id to another process.
 */
export type RecordedProcess = {
  readonly pid: number;
  readonly mark: string;
  readonly stopSignal: StopSignal;
  /** Whether its starter found it ready to serve. */
  readonly isReady: boolean;
};

/** The signal for an orderly end. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

export async function recordProcess(file: string, recorded: RecordedProcess): Promise<void> {
  const { pid, mark, stopSignal, isReady } = recorded;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, [pid, mark, stopSignal, isReady ? 'ready' : 'starting', ''].join('\n'));
}

/** The recorded process, if it still runs and is really ours. */
export async function findRecorded(file: string): Promise<RecordedProcess | undefined> {
  const [pidText, mark, signal, state] = (await readIfThere(file)).split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 1 || mark === undefined || mark === '') return undefined;
  const stopSignal = signal === 'SIGINT' ? signal : 'SIGTERM';
  return (await isOurs(pid, mark)) ? { pid, mark, stopSignal, isReady: state === 'ready' } : undefined;
}

/** At its very end a process has no command line for a moment, although it may still hold its port. */
async function isOurs(pid: number, mark: string): Promise<boolean> {
  const deadline = Date.now() + 2_000;
  while (await isAlive(pid)) {
    const commandLine = await readCommandLine(pid);
    if (commandLine !== '' || Date.now() > deadline) return commandLine.includes(mark);
    await sleep(25);
  }
  return false;
}

/**
 * Stops the process of an earlier run: by its stop signal, and by SIGKILL at the deadline. Returns whether it ran.
 */
export async function stopRecorded(file: string, timeoutMs = 20_000): Promise<boolean> {
  const found = await findRecorded(file);
  if (found !== undefined) {
    signalQuietly(found.pid, found.stopSignal);
    signalQuietly(found.pid, 'SIGCONT');
    if (!(await isGoneWithin(found.pid, timeoutMs))) {
      signalQuietly(found.pid, 'SIGKILL');
      if (!(await isGoneWithin(found.pid, 5_000))) {
        throw new StackError('deadline', `process ${found.pid} of ${file} does not end, not even by SIGKILL`);
      }
    }
  }
  await rm(file, { force: true });
  return found !== undefined;
}

/**
 * Whether a process runs. A zombie does not count: it holds no resources, and in a container it may remain for ever.
 */
export async function isAlive(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return !/^(Z|$)/.test(await readFromPs(pid, 'stat='));
  // "PID (NAME) STATE ...": NAME may hold any characters, including brackets. The number of threads is field 20.
  const stat = await readIfThere(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first thread of a killed process is a zombie while other threads still hold its files and ports.
  const isZombie = fields[0] === 'Z' && Number(fields[17]) <= 1;
  return stat !== '' && fields[0] !== 'X' && !isZombie;
}

function readFromPs(pid: number, column: string): Promise<string> {
  return runPs('-ww', '-o', column, '-p', String(pid));
}

/** What ps prints. Ctrl-C does not end it, because it runs in a separate session. */
export async function runPs(...args: readonly string[]): Promise<string> {
  const ps = spawn('ps', args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  ps.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await once(ps, 'close');
  return printed.trim();
}

export async function readCommandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') return readFromPs(pid, 'args=');
  return (await readIfThere(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ').trim();
}

export async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return '';
  }
}

async function isGoneWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (await isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(25);
  }
  return true;
}

export function signalQuietly(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}
