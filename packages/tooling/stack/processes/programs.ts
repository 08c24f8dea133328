import { execFile } from 'node:child_process';
import { StackError } from '../stack-error.ts';

export type Run = {
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly uid?: number;
  readonly gid?: number;
};

/**
 * Runs a program to its end and returns what it printed on both streams. Errors carry the last lines of that output.
 */
export function runProgram(command: string, { args, timeoutMs, ...options }: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    const limits = {
      ...options,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    } as const;
    const child = execFile(command, args, limits, (error, stdout, stderr) => {
      const printed = `${stdout}${stderr}`.trim();
      if (error === null) {
        resolve(printed);
        return;
      }
      const problem = error.killed === true ? `did not end within ${timeoutMs / 1000} s` : 'failed';
      const message = `${command} ${args.join(' ')} ${problem}:\n${printed.split('\n').slice(-15).join('\n')}`;
      reject(new StackError('command-failed', message, { cause: error }));
    });
    child.stdin?.end();
  });
}

/** The absolute path of a program on PATH. */
export async function findProgram(name: string): Promise<string | undefined> {
  try {
    const found = await runProgram('/bin/sh', {
      args: ['-c', 'command -v "$1"', 'sh', name],
      timeoutMs: 5_000,
    });
    return found.startsWith('/') ? found : undefined;
  } catch {
    return undefined;
  }
}
