import { FlagmeterError } from '#base/runtime';
import { StackError } from '../stack/index.ts';

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
export async function runProgram(
  logs: string,
  program: (interrupted: AbortSignal) => Promise<number>,
): Promise<void> {
  const interruption = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (!interruption.signal.aborted) console.log('\nstopping ...');
      interruption.abort();
    });
  }
  try {
    process.exitCode = await program(interruption.signal);
  } catch (error) {
    const isForPeople =
      error instanceof RunError || error instanceof StackError || error instanceof FlagmeterError;
    console.error(isForPeople ? error.message : error);
    console.error(`Logs: ${logs}`);
    process.exitCode = 1;
  }
}

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
