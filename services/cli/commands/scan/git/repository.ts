import { FlagmeterError } from '#base/runtime';
import { type WorkTree, findWorkTree } from './find-work-tree.ts';
import { type Git, withNeutralGit } from './neutral-git.ts';
import { type Origin, originOf } from './origin.ts';
import { type TrackedFile, isInside, parseTrackedFiles, parseUnstaged } from './tracked-files.ts';

export type Repository = Pick<WorkTree, 'root' | 'prefix'> & {
  /** Undefined before the first commit. */
  readonly commit: string | undefined;
  /** When it was committed, as an ISO time; undefined before the first commit, or if the commit says no possible time. */
  readonly committedAt: string | undefined;
  /** Undefined if no branch is checked out, as in most CI systems. */
  readonly branch: string | undefined;
  /** Undefined if there is no remote repository `origin`, or its address is of an unknown form. */
  readonly origin: Origin | undefined;
  /** Whether files of the work tree differ from the commit. */
  isChanged(): Promise<boolean>;
  /** What git tracks below a folder, which ends in a slash; everything if it is empty. Also what the commit has and the index lacks. */
  listFiles(prefix: string): Promise<TrackedFile[]>;
  /** Those of these paths that any commit has. Git looks through the whole history. */
  findKnown(paths: readonly string[]): Promise<ReadonlySet<string>>;
};

/** Throws a FlagmeterError if the folder is not in a work tree of git. */
export async function openRepository(folder: string, env: NodeJS.ProcessEnv): Promise<Repository> {
  const tree = await findWorkTree(folder);
  const { known, head } = await withNeutralGit({ tree, env }, async (git) => ({
    known: git.settings,
    head: await readHead(git),
  }));
  const withGit = <T>(use: (git: Git) => Promise<T>) => withNeutralGit({ tree, env, known }, use);
  return {
    root: tree.root,
    prefix: tree.prefix,
    ...head,
    isChanged: () => withGit(isChanged),
    listFiles: async (prefix) => {
      const files = await withGit((git) => listFiles(git, { prefix, hasCommit: head.commit !== undefined }));
      if (files.length === 0)
        throw new FlagmeterError('usage', `git tracks no files in ${tree.root}/${prefix}`);
      return files;
    },
    findKnown: async (paths) =>
      head.commit === undefined ? new Set() : withGit((git) => findKnown(git, paths)),
  };
}

const LATEST = ['log', '-1', '--format=%H %ct', 'HEAD'] as const;

async function readHead({ call, ask, settings: { origin } }: Git) {
  // Fails if this is no repository.
  await call('rev-parse', '--git-dir');
  const [latest, branch] = await Promise.all([ask(...LATEST), ask('symbolic-ref', '--short', 'HEAD')]);
  // A damaged repository has a commit that cannot be read, and git says so.
  const isDamaged =
    latest === undefined && (await ask('rev-parse', '--verify', '--quiet', 'HEAD')) !== undefined;
  if (isDamaged) await call(...LATEST);
  const [commit, seconds] = latest?.split(' ') ?? [];
  return {
    commit,
    branch,
    committedAt: seconds === undefined ? undefined : timeOf(seconds),
    origin: origin === undefined ? undefined : originOf(origin),
  };
}

/** A commit may say any number. */
function timeOf(seconds: string): string | undefined {
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/**
 * A file with a filter, as of Git LFS, differs always, because its filter is not run. Submodules are left out, because git would
 * examine each with its own configuration.
 */
async function isChanged({ call }: Git): Promise<boolean> {
  const args = ['--porcelain', '--untracked-files=no', '--ignore-submodules=all'];
  return (await call('status', ...args, '--', ':(attr:!filter)')).length > 0;
}

type Listed = { readonly prefix: string; readonly hasCommit: boolean };

/** A checkout of some folders leaves the others out of the index, as if nobody tracked them. */
async function listFiles({ call }: Git, { prefix, hasCommit }: Listed): Promise<TrackedFile[]> {
  const folder = prefix === '' ? [] : [prefix];
  const literally = (...args: readonly string[]) => call('--literal-pathspecs', ...args, '--', ...folder);
  const tracked = parseTrackedFiles(await literally('ls-files', '--stage', '-t', '-z'));
  if (!hasCommit) return tracked;
  const lacking = ['--cached', '--diff-filter=D', '--no-renames', '--name-only', '-z', 'HEAD'];
  return [...tracked, ...parseUnstaged(await literally('diff-index', ...lacking))];
}

/** Each path was added by some commit. The index may name any path, so only those in the work tree are asked for. */
async function findKnown({ feed, ask }: Git, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const asked = paths.filter((path) => isInside(path) && !path.includes('\n'));
  if (asked.length === 0) return new Set();
  const fetched = (await ask('rev-parse', '--verify', '--quiet', 'FETCH_HEAD')) ?? 'HEAD';
  const options = ['--format=', '--diff-filter=A', '--no-renames', '--name-only', '-z', '--stdin'];
  const input = `--\n${asked.join('\n')}\n`;
  const list = await feed(input, '--literal-pathspecs', 'log', '--all', 'HEAD', fetched, ...options);
  return new Set(list.toString('utf8').split('\0'));
}
