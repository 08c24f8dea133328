import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { FlagmeterError } from '#base/runtime';
import { withoutControls } from '../without-controls.ts';

const DEADLINE_MS = 60_000;
/** A list of a million files has less. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

const run = promisify(execFile);

export type Call = {
  /** A folder of ours. On Windows a program is first looked up in the current folder. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
};

/**
 * What git prints, with this as its input. Throws a FlagmeterError `git` with its message if it fails. This is the only place that runs
 * git.
 */
export async function callGit({ cwd, env }: Call, args: readonly string[], input = ''): Promise<Buffer> {
  try {
    const limits = { timeout: DEADLINE_MS, maxBuffer: MAX_OUTPUT_BYTES };
    const running = run('git', args, { cwd, env, ...limits, encoding: 'buffer' });
    const { stdin } = running.child;
    stdin?.on('error', () => undefined); // git has ended without reading it, and says why
    stdin?.end(input);
    const { stdout } = await running;
    return stdout;
  } catch (error) {
    throw new FlagmeterError('git', `git ${args[0] ?? ''}: ${problemOf(error)}`, { cause: error });
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT')
    return 'the program git was not found in PATH, outside of the repository';
  const printed = 'stderr' in error ? withoutControls(String(error.stderr).trim().slice(0, 1000)) : '';
  return printed === '' ? 'it took too long' : printed;
}

/**
 * The environment of git: nothing of ours except PATH. Variables can name programs, files and another repository. Of PATH, only
 * absolute folders outside of the repository: npx puts `node_modules/.bin` first, where a stranger may have put a `git`.
 */
export function environmentOf(env: NodeJS.ProcessEnv, { root, home }: { root: string; home: string }) {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => isOutside(root, folder));
  return {
    PATH: folders.join(path.delimiter),
    ...(env['SystemRoot'] === undefined ? {} : { SystemRoot: env['SystemRoot'] }),
    LC_ALL: 'C',
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

function isOutside(root: string, folder: string): boolean {
  if (!path.isAbsolute(folder)) return false;
  const way = path.relative(root, resolved(folder));
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
}

function resolved(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
