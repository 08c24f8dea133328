import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type GitRepository = {
  readonly folder: string;
  git(...args: readonly string[]): Promise<string>;
  /** Writes files, by path. */
  write(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
  /** Commits everything that git does not ignore, and returns the commit. */
  commit(): Promise<string>;
  dispose(): Promise<void>;
};

/** An author, and no work that only pays in a repository that is kept. */
const SETTINGS = [
  'user.name=ana',
  'user.email=ana@example.org',
  'commit.gpgsign=false',
  'maintenance.auto=false',
  'core.looseCompression=0',
];

/** A real repository with the branch main and a remote repository of that address, which is never contacted. */
export async function createGitRepository(origin: string): Promise<GitRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'flagmeter-scan-'));
  const git = async (...args: readonly string[]): Promise<string> => {
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    const { stdout } = await run('git', ['-C', folder, ...settings, ...args]);
    return stdout.trim();
  };
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'origin', origin);
  return {
    folder,
    git,
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      }
    },
    async commit() {
      await git('add', '--all');
      await git('commit', '--quiet', '--message=change');
      return git('rev-parse', 'HEAD');
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
