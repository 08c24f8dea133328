import { existsSync } from 'node:fs';
import path from 'node:path';
import { FlagmeterError } from '#base/runtime';
import type { Repository } from '../scan/git/repository.ts';
import { type TrackedFile, isInside } from '../scan/git/tracked-files.ts';
import { REASONS, type Unsearched, isLost } from '../scan/search/unsearched.ts';

/** A changed file in which not all calls were examined. */
export type Unexamined = {
  readonly path: string;
  readonly why: string;
  /** Whether it may have calls, as every file that could not be read. A picture, a link or another repository has none. */
  readonly mayHaveCalls: boolean;
};

export function unexaminedOf(file: Unsearched): Unexamined {
  const mayHaveCalls = isLost(file) || file.reason === 'large';
  return { path: file.path, why: REASONS[file.reason], mayHaveCalls };
}

type Selected = { readonly files: readonly TrackedFile[]; readonly untracked: readonly Unexamined[] };

/** The changed files that git tracks, and the others. Throws an error of wrong usage for paths that are not from the root. */
export async function selectFiles(
  repository: Repository,
  changed: readonly string[],
  tracked: readonly TrackedFile[],
): Promise<Selected> {
  const { root, prefix } = repository;
  const byPath = new Map(tracked.map((file) => [file.path, file]));
  const untracked = changed.filter((name) => !byPath.has(name));
  if (prefix !== '' && untracked.some((name) => byPath.has(prefix + name)))
    throw new FlagmeterError('usage', `--in has paths from ${prefix}, and the gate needs them from ${root}`);
  const known = await repository.findKnown(untracked.filter((name) => !isThere(root, name)));
  return {
    files: changed.flatMap((name) => byPath.get(name) ?? []),
    untracked: untracked.map((name) => {
      if (isThere(root, name)) return { path: name, why: 'git does not track it', mayHaveCalls: true };
      return known.has(name)
        ? { path: name, why: 'not in the repository', mayHaveCalls: false }
        : { path: name, why: NEVER_KNOWN, mayHaveCalls: true };
    }),
  };
}

/** It is no deleted file: the list has paths from elsewhere, or in another form. */
const NEVER_KNOWN = 'git has never had a file with this path';

function isThere(root: string, name: string): boolean {
  return isInside(name) && existsSync(path.join(root, name));
}
