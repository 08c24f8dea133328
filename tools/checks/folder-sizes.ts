/** Files or folders that one folder may hold. */
const MOST = 12;

/** Folders that splitting would make worse, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'docs/images': 'pictures, each named after its page of the console',
  'infra/migrations/clickhouse': 'migrations are numbered and run in the order of their names',
  'infra/migrations/postgres': 'migrations are numbered and run in the order of their names',
  'test/fixtures/otlp': 'recorded bodies, each named after its sender; one test lists them all',
};

/** Folders with more files or folders than a reader takes in at a glance. The root of the repository holds what programs look for there. */
export function largeFolders(paths: readonly string[]): string[] {
  const folders = new Map<string, { readonly files: Set<string>; readonly folders: Set<string> }>();
  for (const path of paths) {
    const names = path.split('/');
    for (let depth = 1; depth < names.length; depth += 1) {
      const folder = names.slice(0, depth).join('/');
      const held = folders.get(folder) ?? { files: new Set(), folders: new Set() };
      folders.set(folder, held);
      held[depth === names.length - 1 ? 'files' : 'folders'].add(names[depth] ?? '');
    }
  }
  return [...folders].flatMap(([folder, held]) =>
    (['files', 'folders'] as const)
      .filter((kind) => held[kind].size > MOST && !Object.hasOwn(EXCEPTIONS, folder))
      .map(
        (kind) =>
          `${folder} holds ${held[kind].size} ${kind}; split it by meaning, so that it holds at most ${MOST}`,
      ),
  );
}

/** Exceptions that are none any more. */
export function unusedExceptions(paths: readonly string[]): string[] {
  return Object.keys(EXCEPTIONS)
    .filter((folder) => paths.filter((path) => new RegExp(`^${folder}/[^/]+$`).test(path)).length <= MOST)
    .map((folder) => `${folder} needs no exception in tools/checks/folder-sizes.ts`);
}
