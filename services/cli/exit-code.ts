/** The exit codes of flagmeter, besides those that a command sets itself. 1 is a failure, and a result of some commands. */
const WRONG_USAGE = 2;
const REFUSED = 3;

/** By the code of a FlagmeterError. */
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
  if (isOfCommander(error)) return error.exitCode === 0 ? 0 : WRONG_USAGE;
  return BY_CODE[codeOf(error) ?? ''] ?? Number(current ?? 1);
}

/** Whether the arguments are wrong, or the help was asked for. Commander has printed the reason, or the help. */
export function isOfCommander(error: unknown): error is Error & { readonly exitCode: number } {
  return codeOf(error)?.startsWith('commander.') === true;
}

/** By the name of the member, because the class of the error would import the settings of all services. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
