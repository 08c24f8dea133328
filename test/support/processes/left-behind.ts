type Disposable = { dispose(): Promise<void> };

const left = new Set<Disposable>();

/**
 * Disposes of a world or an engine at the end of its test file at the latest, also when a hook failed before or instead of disposing
 * of it. Left running, it would take CPU, ports and memory from all files that come later.
 */
export function untilEndOfFile<T extends Disposable>(thing: T): T {
  const kept = {
    ...thing,
    async dispose() {
      left.delete(kept);
      await thing.dispose();
    },
  };
  left.add(kept);
  return kept;
}

/** What was made last goes first: worlds before the engines that they stand on. */
export async function disposeOfRest(): Promise<void> {
  for (let last = [...left].at(-1); last !== undefined; last = [...left].at(-1)) await last.dispose();
}
