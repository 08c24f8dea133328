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
export function selectFiles(
  { root, prefix }: Repository,
  changed: readonly string[],
  tracked: readonly TrackedFile[],
): Selected {
  const byPath = new Map(tracked.map((file) => [file.path, file]));
  const untracked = changed.filter((name) => !byPath.has(name));
  if (prefix !== '' && untracked.some((name) => byPath.has(prefix + name)))
    throw new FlagmeterError('usage', `--in has paths from ${prefix}, and the gate needs them from ${root}`);
  return {
    files: changed.flatMap((name) => byPath.get(name) ?? []),
    untracked: untracked.map((name) => untrackedOf(root, name)),
  };
}

/** A file that was deleted is neither tracked nor there. */
function untrackedOf(root: string, name: string): Unexamined {
  const isThere = isInside(name) && existsSync(path.join(root, name));
  return isThere
    ? { path: name, why: 'git does not track it', mayHaveCalls: true }
    : { path: name, why: 'not in the repository', mayHaveCalls: false };
}
