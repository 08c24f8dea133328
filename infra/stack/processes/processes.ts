import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StackError } from '../stack-error.ts';

/**
 * A process that may outlive the one that started it. `mark` is a part of its command line that no stranger has (a path
 * of ours): a process id alone may long belong to somebody else.
 */
export type RecordedProcess = {
  readonly pid: number;
  readonly mark: string;
  readonly stopSignal: StopSignal;
  /** Whether its starter has found it ready to serve. */
  readonly isReady: boolean;
};

/** The signal by which a process ends in good order. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

export async function recordProcess(file: string, recorded: RecordedProcess): Promise<void> {
  const { pid, mark, stopSignal, isReady } = recorded;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, [pid, mark, stopSignal, isReady ? 'ready' : 'starting', ''].join('\n'));
}

/** The recorded process if it still runs and is really ours. */
export async function findRecorded(file: string): Promise<RecordedProcess | undefined> {
  const [pidText, mark, signal, state] = (await readIfThere(file)).split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 1 || mark === undefined || mark === '') return undefined;
  const stopSignal = signal === 'SIGINT' ? signal : 'SIGTERM';
  return (await isOurs(pid, mark)) ? { pid, mark, stopSignal, isReady: state === 'ready' } : undefined;
}

/** A process has no command line for a moment at its very end, while it may still hold its port. */
async function isOurs(pid: number, mark: string): Promise<boolean> {
  const deadline = Date.now() + 2_000;
  while (await isAlive(pid)) {
    const commandLine = await readCommandLine(pid);
    if (commandLine !== '' || Date.now() > deadline) return commandLine.includes(mark);
    await sleep(25);
  }
  return false;
}

/** Ends what an earlier run has left: its stop signal, and SIGKILL at the deadline. Tells whether there was anything to end. */
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

/** Whether a process runs. A zombie does not: it holds nothing any more, and in a container nobody may ever collect it. */
export async function isAlive(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return !/^(Z|$)/.test(await readFromPs(pid, 'stat='));
  // "PID (NAME) STATE ...", where the name may hold anything, brackets included; the number of threads is field 20.
  const stat = await readIfThere(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first thread of a killed process is a zombie while the others still hold its files and ports.
  const isZombie = fields[0] === 'Z' && Number(fields[17]) <= 1;
  return stat !== '' && fields[0] !== 'X' && !isZombie;
}

async function readFromPs(pid: number, column: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', column, '-p', String(pid)]);
    return stdout.trim();
  } catch {
    return ''; // ps exits with 1 where there is no such process.
  }
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

function signalQuietly(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended between the look and the signal.
  }
}
