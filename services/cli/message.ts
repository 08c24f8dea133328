/** What went wrong with a file, by the error code of the system. */
const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be used by this user',
  EPERM: 'may not be used by this user',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is below a file, which is not a folder',
  EEXIST: 'exists already',
  EROFS: 'is on a disk that is only readable',
};

/** What a command prints about the error that ended it. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!('code' in error && 'syscall' in error)) return error.message;
  const problem = FILE_PROBLEMS[String(error.code)];
  // To start a program also has a path.
  if (problem === undefined || String(error.syscall).startsWith('spawn')) return error.message;
  return `${'path' in error ? String(error.path) : 'A named file'} ${problem}.`;
}
