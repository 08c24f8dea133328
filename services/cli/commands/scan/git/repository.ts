import { FlagmeterError } from '#runtime';
import { askGit, callGit } from './git.ts';
import { type Origin, originOf } from './origin.ts';

export type Repository = {
  /** Absolute path of the work tree. */
  readonly root: string;
  /** The scanned folder from the root, with a slash at its end; empty for the root. */
  readonly prefix: string;
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
  /** When it was committed, as an ISO time; undefined before the first commit. */
  readonly committedAt: string | undefined;
  /** Undefined if no branch is checked out, as in most CI systems. */
  readonly branch: string | undefined;
  /** Undefined if there is no remote repository `origin`, or its address is of an unknown form. */
  readonly origin: Origin | undefined;
};

/** Throws a FlagmeterError if the folder is not in a work tree of git. */
export async function openRepository(folder: string): Promise<Repository> {
  const root = await callGit(folder, 'rev-parse', '--show-toplevel');
  const prefix = await callGit(folder, 'rev-parse', '--show-prefix');
  const [commit, seconds, branch, address] = await Promise.all([
    askGit(folder, 'rev-parse', '--verify', 'HEAD'),
    askGit(folder, 'show', '--no-patch', '--format=%ct', 'HEAD'),
    askGit(folder, 'symbolic-ref', '--short', 'HEAD'),
    askGit(folder, 'remote', 'get-url', 'origin'),
  ]);
  return {
    ...{ root, prefix, commit, branch },
    committedAt: seconds === undefined ? undefined : new Date(Number(seconds) * 1000).toISOString(),
    origin: address === undefined ? undefined : originOf(address),
  };
}

/** Whether files of the work tree differ from the commit. */
export async function isChanged({ root }: Repository): Promise<boolean> {
  return (await callGit(root, 'status', '--porcelain', '--untracked-files=no')) !== '';
}

const REGULAR_FILES: ReadonlySet<string> = new Set(['100644', '100755']);

/** The files of a repository that git tracks, from its root: no links, and no other repositories in it. */
export async function listFiles({ root, prefix }: Pick<Repository, 'root' | 'prefix'>): Promise<string[]> {
  const list = await callGit(root, 'ls-files', '--stage', '-z', '--', ...(prefix === '' ? [] : [prefix]));
  const files = new Set<string>();
  for (const entry of list.split('\0')) {
    const tab = entry.indexOf('\t');
    if (REGULAR_FILES.has(entry.slice(0, 6))) files.add(entry.slice(tab + 1));
  }
  if (files.size === 0) throw new FlagmeterError('usage', `git tracks no files in ${root}/${prefix}`);
  return [...files];
}
