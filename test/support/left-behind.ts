type Disposable = { dispose(): Promise<void> };

const left = new Set<Disposable>();

/**
 * Disposes of a world or an engine at the end of its test file, even if a hook failed before it could. Otherwise it
 * would take CPU, ports and memory from all later files.
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

/** In reverse order of creation: worlds before their engines. */
export async function disposeOfRest(): Promise<void> {
  for (let last = [...left].at(-1); last !== undefined; last = [...left].at(-1)) await last.dispose();
}

const shared: Disposable[] = [];

/** Disposes of what all files of this process share, after the last one. The workers of `--parallel` end without it. */
export function untilEndOfProcess(thing: Disposable): void {
  shared.push(thing);
}

export async function disposeOfShared(): Promise<void> {
  for (const thing of shared.splice(0)) await thing.dispose();
}
