import { inspect } from 'node:util';
import { FlagmeterError } from '#base/runtime';
import { type Report, print } from '../install/install-once.ts';
import { StackError } from '../stack-error.ts';

/** A failure whose message is a clear sentence for the user at the terminal. */
export class RunError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RunError';
  }
}

/**
 * Runs a program of the terminal. Its result is the exit code. Ctrl-C, SIGTERM and the end of the terminal only abort
 * the signal, even repeatedly. The program then ends itself in good order.
 */
export async function runAtTerminal(
  logs: string,
  program: (interrupted: AbortSignal) => Promise<number>,
): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!interruption.signal.aborted) print('\nstopping ...');
      interruption.abort();
    });
  }
  try {
    process.exitCode = await program(interruption.signal);
  } catch (error) {
    const isForPeople =
      error instanceof RunError || error instanceof StackError || error instanceof FlagmeterError;
    printError(isForPeople ? error.message : inspect(error));
    printError(`Logs: ${logs}`);
    process.exitCode = 1;
  }
}

const printError: Report = (line) => {
  process.stderr.write(`${line}\n`);
};

/** The result of the work, or an error as soon as the signal is aborted. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  await Promise.race([work, aborted(signal)]);
  signal.throwIfAborted();
  return work;
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => {
      resolve(undefined);
    });
  });
}
