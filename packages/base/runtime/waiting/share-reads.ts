/** How long an answer is reused, depending on how long it took to read. */
export type Freshness = (durationMs: number) => number;

/**
 * Shares one read among all callers that ask during the read, and for a time after it. However often callers ask, the engine
 * gets one question at a time.
 */
export function shareReads<T>(fresh: number | Freshness, read: () => Promise<T>): () => Promise<T> {
  const freshMs = typeof fresh === 'number' ? () => fresh : fresh;
  let latest: { readonly result: Promise<T>; freshUntil: number } | undefined;
  const settle = async (): Promise<T> => {
    const begunAt = performance.now();
    try {
      return await read();
    } finally {
      const endedAt = performance.now();
      if (latest !== undefined) latest.freshUntil = endedAt + freshMs(endedAt - begunAt);
    }
  };
  return () => {
    if (latest === undefined || performance.now() >= latest.freshUntil)
      latest = { result: settle(), freshUntil: Infinity };
    return latest.result;
  };
}
