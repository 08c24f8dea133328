import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Call, callGit, environmentOf } from './call-git.ts';
import type { WorkTree } from './find-work-tree.ts';
import { type Settings, configOf, readSettings } from './settings.ts';

export type Git = {
  /** What git prints. Throws a FlagmeterError `git` with its message if it fails. */
  readonly call: (...args: readonly string[]) => Promise<Buffer>;
  /** The same for a command that reads its input. */
  readonly feed: (input: string, ...args: readonly string[]) => Promise<Buffer>;
  /** The same as text, without the line end; undefined if it fails, because there is nothing to show. */
  readonly ask: (...args: readonly string[]) => Promise<string | undefined>;
  readonly settings: Settings;
};

/** What the common folder of a repository has that git needs. Its hooks, attributes and configuration are left out. */
const SHARED = ['objects', 'refs', 'packed-refs', 'reftable', 'shallow'];

type GitOptions = {
  readonly tree: WorkTree;
  readonly env: NodeJS.ProcessEnv;
  /** Those of an earlier `Git` of this work tree. To read them takes a call of git. */
  readonly known?: Settings;
};

/**
 * Calls git for a work tree without the configuration of its repository, which is a stranger's and may name programs that git runs.
 * Git takes the configuration from the common folder, so it gets one of ours, with links to the objects and refs.
 */
export async function withNeutralGit<T>(
  { tree, env, known }: GitOptions,
  use: (git: Git) => Promise<T>,
): Promise<T> {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), 'flagmeter-git-')));
  try {
    const clean: Call = { cwd: home, env: environmentOf(env, { root: tree.root, home }) };
    const settings = known ?? (await readSettings(clean, tree));
    await writeFile(path.join(home, 'config'), configOf(settings));
    for (const name of SHARED.filter((one) => existsSync(path.join(tree.commonFolder, one))))
      await symlink(path.join(tree.commonFolder, name), path.join(home, name));
    const folders = { GIT_DIR: tree.gitFolder, GIT_COMMON_DIR: home, GIT_WORK_TREE: tree.root };
    const feed = (input: string, ...args: readonly string[]) =>
      callGit({ cwd: home, env: { ...clean.env, ...folders } }, args, input);
    const call = (...args: readonly string[]) => feed('', ...args);
    const ask = (...args: readonly string[]) => call(...args).then(lineOf, () => undefined);
    return await use({ call, feed, ask, settings });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function lineOf(output: Buffer): string {
  return output.toString('utf8').replace(/\n$/, '');
}
