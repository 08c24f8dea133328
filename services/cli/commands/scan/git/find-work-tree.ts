import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { FlagmeterError } from '#base/runtime';

/** Where a work tree and its repository are, as absolute paths. */
export type WorkTree = {
  readonly root: string;
  /** The scanned folder from the root, with slashes and one at its end; empty for the root. */
  readonly prefix: string;
  /** The index and HEAD of this work tree. */
  readonly gitFolder: string;
  /** What all work trees of the repository share: objects, refs and the configuration. */
  readonly commonFolder: string;
};

/**
 * Finds the nearest folder with `.git`. Git itself would read the configuration of the repository for this. That may move the work
 * tree to any folder of the machine (`core.worktree`).
 */
export async function findWorkTree(folder: string): Promise<WorkTree> {
  const start = await realpath(folder);
  for (let root = start; ; root = path.dirname(root)) {
    const gitFolder = await gitFolderOf(root);
    if (gitFolder !== undefined) {
      const prefix = path.relative(root, start).split(path.sep).join('/');
      const commonFolder = await targetOf(path.join(gitFolder, 'commondir'));
      return {
        root,
        gitFolder,
        prefix: prefix === '' ? '' : `${prefix}/`,
        commonFolder: path.resolve(gitFolder, commonFolder ?? '.'),
      };
    }
    if (root === path.dirname(root))
      throw new FlagmeterError(
        'git',
        `not a git repository: neither ${start} nor a folder above it has .git`,
      );
  }
}

/** A folder, or a file that names one, as in further work trees and submodules. */
async function gitFolderOf(root: string): Promise<string | undefined> {
  const named = path.join(root, '.git');
  const target = await targetOf(named);
  const gitFolder = target === undefined ? named : path.resolve(root, target.replace(/^gitdir: /, ''));
  return (await lstat(path.join(gitFolder, 'HEAD')).catch(() => undefined)) && gitFolder;
}

const MAX_TARGET_BYTES = 10_000;

/** The path in a file; undefined if there is no such file. */
async function targetOf(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() !== true || found.size > MAX_TARGET_BYTES) return undefined;
  return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
}
