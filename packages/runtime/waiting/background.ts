/**
 * Work that nobody awaits. Its failure goes to `onFailure`; without that, or if `onFailure` itself fails, it is a broken invariant,
 * and `runService` ends the process.
 */
export function inBackground(work: Promise<unknown>, onFailure: (error: unknown) => void = rethrow): void {
  // eslint-disable-next-line no-restricted-syntax -- the one place that may
  work.catch(onFailure);
}

function rethrow(error: unknown): never {
  throw error;
}
