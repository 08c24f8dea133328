import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { projectRoot } from '#base/version';

const root = projectRoot(import.meta.dirname);

/** A file or folder of this package that is not compiled. */
export function source(name: string): string {
  return path.join(root, 'packages/tooling/stack', name);
}

/** For what belongs to no checkout, as the XDG Base Directory Specification has it: it ignores a relative path. */
export const userDirectory = path.join(dataHome(process.env['XDG_DATA_HOME']), 'flagmeter');

/** An empty HOME would make the folder depend on where the command runs. */
function dataHome(named = ''): string {
  if (path.isAbsolute(named)) return named;
  return path.join(path.isAbsolute(homedir()) ? homedir() : userInfo().homedir, '.local/share');
}

/** The stack of `flagmeter try`. */
export const trialDirectory = path.join(userDirectory, 'try');

/** Whether these are sources, with the folder `.local` beside them, or compiled files of the npm package. */
export const SOURCE_EXTENSION = path.extname(import.meta.filename);

/** Downloads, shared by every stack of this checkout, or of this user. */
export const enginesDirectory = path.join(
  SOURCE_EXTENSION === '.ts' ? path.join(root, '.local') : userDirectory,
  'engines',
);

/** Where npm installs libchdb and the library that calls it. */
export const clickhousePackages = path.join(enginesDirectory, 'clickhouse');

export type EngineFiles = { readonly data: string; readonly log: string; readonly pid: string };

/** Folders and files of the engine `name` in the directory of a stack; absolute paths. */
export function filesOf(directory: string, name: string): EngineFiles {
  const root = path.resolve(directory);
  return {
    data: path.join(root, 'data', name),
    log: path.join(root, 'logs', `${name}.log`),
    pid: path.join(root, 'run', `${name}.pid`),
  };
}

export type StackFiles = {
  readonly data: string;
  readonly logs: string;
  readonly run: string;
  readonly environment: string;
  readonly passwords: string;
  readonly lock: string;
};

/** Files in the directory of a stack; absolute paths. */
export function filesOfStack(directory: string): StackFiles {
  const root = path.resolve(directory);
  return {
    data: path.join(root, 'data'),
    logs: path.join(root, 'logs'),
    run: path.join(root, 'run'),
    environment: path.join(root, 'stack.env'),
    passwords: path.join(root, 'passwords.env'),
    lock: path.join(root, 'run', 'up.lock'),
  };
}
