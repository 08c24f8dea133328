/** Why a tracked file was not searched, as it is shown. */
export const REASONS = {
  binary: 'binary',
  large: 'larger than 8 MiB',
  lfs: 'a pointer of Git LFS',
  link: 'a symbolic link',
  submodule: 'a submodule',
  sparse: 'not in the sparse checkout',
  missing: 'missing in the work tree',
  unstaged: 'in the commit, and not in the index',
  unreadable: 'unreadable',
  outside: 'its path leads out of the work tree',
} as const;

export type Unsearched = { readonly path: string; readonly reason: keyof typeof REASONS };

/** Whether the work tree lacks the file, so that nobody can say what it names. */
export function isLost({ reason }: Unsearched): boolean {
  return LOST.has(reason);
}

const LOST: ReadonlySet<Unsearched['reason']> = new Set([
  'sparse',
  'missing',
  'unstaged',
  'unreadable',
  'outside',
]);
