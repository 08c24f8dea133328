/** How long an answer serves, by how long it took to read. */
export type Freshness = (durationMs: number) => number;

/**
 * Reads once for all who ask while the read runs, and for so long after it has ended: whoever asks how often, the engine behind it is
 * asked once at a time.
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
