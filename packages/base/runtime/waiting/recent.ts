import QuickLRU from 'quick-lru';

export type Recent<V> = {
  get(key: string): V | undefined;
  has(key: string): boolean;
  set(key: string, value: V): void;
};

/**
 * Remembers values for a time, and at most so many. The time is that of `performance.now()`, so a clock that was ahead and goes back makes
 * it no longer.
 */
export function createRecent<V>({ maxSize, maxAgeMs }: { maxSize: number; maxAgeMs: number }): Recent<V> {
  const entries = new QuickLRU<string, { readonly value: V; readonly until: number }>({ maxSize });
  const get = (key: string): V | undefined => {
    const entry = entries.get(key);
    return entry !== undefined && entry.until > performance.now() ? entry.value : undefined;
  };
  return {
    get,
    has: (key) => get(key) !== undefined,
    set(key, value) {
      entries.set(key, { value, until: performance.now() + maxAgeMs });
    },
  };
}
