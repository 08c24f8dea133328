/**
 * Runs work that no one awaits. `onFailure` gets its error. Without `onFailure`, or if that fails itself, the error is a broken
 * invariant, and `runService` ends the process.
 */
export function inBackground(work: Promise<unknown>, onFailure: (error: unknown) => void = rethrow): void {
  // oxlint-disable-next-line promises/no-dropped -- the only place where this is allowed
  work.catch(onFailure);
}

function rethrow(error: unknown): never {
  throw error;
}
