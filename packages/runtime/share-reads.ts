/**
 * Reads once for all who ask while the read runs, and for so long after it has ended: whoever asks how often, the engine behind it is
 * asked once at a time.
 */
export function shareReads<T>(forMs: number, read: () => Promise<T>): () => Promise<T> {
  let latest: { readonly result: Promise<T>; endedAt: number } | undefined;
  const settle = async (): Promise<T> => {
    try {
      return await read();
    } finally {
      if (latest !== undefined) latest.endedAt = performance.now();
    }
  };
  return () => {
    if (latest === undefined || performance.now() - latest.endedAt >= forMs)
      latest = { result: settle(), endedAt: Infinity };
    return latest.result;
  };
}
