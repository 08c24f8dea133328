import { inBackground, withDeadline } from '#base/runtime';

/** Postgres answers in a few milliseconds. A relay gives up after five seconds, which a frozen Postgres takes nearly. */
const LONGEST_WAIT_MS = 100;

/** Returns the result of a look-up; undefined if that takes long. The look-up then goes on behind the answer. */
export type BoundedLookUp<T> = (secretHash: string, lookUp: () => Promise<T>) => Promise<T | undefined>;

/** After one look-up took long, no one waits until one has ended in time. There is one look-up of a token at a time. */
export function createBoundedLookUp<T>(): BoundedLookUp<T> {
  const running = new Map<string, Promise<T>>();
  let isSlow = false;
  const start = (secretHash: string, lookUp: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const settle = async (): Promise<T> => {
      const verification = await lookUp();
      running.delete(secretHash);
      isSlow = performance.now() - startedAt > LONGEST_WAIT_MS;
      return verification;
    };
    const looking = settle();
    running.set(secretHash, looking);
    inBackground(looking);
    return looking;
  };
  return async (secretHash, lookUp) => {
    const looking = running.get(secretHash) ?? start(secretHash, lookUp);
    if (isSlow) return undefined;
    try {
      return await withDeadline(looking, LONGEST_WAIT_MS, 'the look-up takes long');
    } catch {
      isSlow = true;
      return undefined;
    }
  };
}
