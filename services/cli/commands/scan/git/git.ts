import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FlagmeterError } from '#runtime';

/** The configuration of a repository may name programs that git runs. Nothing of a scanned repository is run. */
const SAFE = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
const DEADLINE_MS = 60_000;
/** A list of a million files has less. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const run = promisify(execFile);

/** What git prints about a folder. Throws a FlagmeterError `git` with its message if it fails. */
export async function callGit(folder: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...SAFE, ...args], {
      timeout: DEADLINE_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
    return stdout.replace(/\n$/, '');
  } catch (error) {
    throw new FlagmeterError('git', `git ${args[0] ?? ''}: ${problemOf(error)}`, { cause: error });
  }
}

/** The same; undefined if it fails, because there is nothing to show. */
export async function askGit(folder: string, ...args: readonly string[]): Promise<string | undefined> {
  return callGit(folder, ...args).catch(() => undefined);
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT') return 'the program git was not found';
  const printed = 'stderr' in error ? String(error.stderr).trim().slice(0, 1000) : '';
  return printed === '' ? 'it took too long' : printed;
}
