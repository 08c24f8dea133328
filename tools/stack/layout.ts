import path from 'node:path';

/** The folder of these sources in the repository. */
export const sourceDirectory = import.meta.dirname;

/** Downloads, shared by every stack of this checkout. */
export const enginesDirectory = path.resolve(sourceDirectory, '../../.local/engines');

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
