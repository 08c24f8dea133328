type Module = { readonly source: string; readonly dependencies: readonly { readonly resolved: string }[] };

/**
 * Folders of one folder that import each other, directly or round a corner, one line per circle. A folder is everything
 * below it; the files beside it belong to the folder that holds both, and may be imported from and import both.
 */
export function folderCircles(modules: readonly Module[]): string[] {
  const importsBySiblings = new Map<string, Map<string, Set<string>>>();
  for (const { source, dependencies } of modules)
    for (const { resolved } of dependencies) {
      const [parent, from, to] = siblingsOf(source, resolved);
      if (from === undefined || to === undefined) continue;
      const imports = entryOf(importsBySiblings, parent, () => new Map<string, Set<string>>());
      entryOf(imports, from, () => new Set<string>()).add(to);
    }
  return [...importsBySiblings].flatMap(([parent, imports]) => {
    const circles = [...imports.keys()].map((name) => circleOf(name, imports).join(', '));
    return [...new Set(circles)]
      .filter((circle) => circle !== '')
      .map((circle) => `folders that import each other in ${parent === '' ? '.' : parent}: ${circle}`);
  });
}

/** The folder that holds both files, and the folder below it in which each of them is, if it is in one. */
function siblingsOf(source: string, resolved: string): [string, string | undefined, string | undefined] {
  const [from, to] = [source.split('/').slice(0, -1), resolved.split('/').slice(0, -1)];
  const split = from.findIndex((name, at) => name !== to[at]);
  const shared = split === -1 ? from.length : split;
  return [from.slice(0, shared).join('/'), from[shared], to[shared]];
}

/** All folders that a folder reaches and that reach it, sorted; none if it is in no circle. */
function circleOf(name: string, imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = reachedFrom(name, imports);
  return [...reached].filter((other) => reachedFrom(other, imports).has(name)).toSorted();
}

function reachedFrom(name: string, imports: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>(imports.get(name));
  for (const next of reached) for (const other of imports.get(next) ?? []) reached.add(other);
  return reached;
}

function entryOf<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}
