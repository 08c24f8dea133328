import { FlagmeterError } from '#base/runtime';

/** The code of the error with which this work ends, such as `usage`. */
export async function codeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    return error instanceof FlagmeterError ? error.code : String(error);
  }
  return 'no failure';
}
