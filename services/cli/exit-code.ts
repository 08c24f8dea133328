import { CommanderError } from 'commander';
import { FlagmeterError } from '#base/runtime';

/** The exit codes of flagmeter, besides those that a command sets itself. 1 is a failure, and a result of some commands. */
const WRONG_USAGE = 2;
const REFUSED = 3;

const BY_CODE: Readonly<Record<string, number>> = {
  usage: WRONG_USAGE,
  config: WRONG_USAGE,
  // Nothing was changed, and the message says how to get it anyway. make prints no error for it.
  'real-data': REFUSED,
  'sample-names': REFUSED,
  'sample-in-use': REFUSED,
};

/** `current` is the code that the command has set before it failed. */
export function exitCodeOf(error: unknown, current: typeof process.exitCode): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  const known = error instanceof FlagmeterError ? BY_CODE[error.code] : undefined;
  return known ?? Number(current ?? 1);
}
