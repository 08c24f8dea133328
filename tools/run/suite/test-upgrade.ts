import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { runAtTerminal } from '#tooling/stack';
import { runSuite } from './suite-process.ts';

/**
 * Runs processes and data of an earlier version beside those of this working copy: `make test-upgrade [FROM=ref]`. By default it
 * is the newest tag. Before the first tag it is the last commit, which only shows that the test itself works.
 */
const ref = process.argv[2] ?? newestTag() ?? 'HEAD';
const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
const checkout = path.resolve('.local/upgrade');

await runAtTerminal('.local/test/logs', async (interrupted) => {
  console.log(`Upgrading from ${ref} (${commit.slice(0, 12)}).`);
  remove();
  try {
    git('worktree', 'add', '--detach', checkout, commit);
    install();
    return await runSuite(['test/fault/processes/upgrade.ts'], { FLAGMETER_BEFORE: checkout }, interrupted);
  } finally {
    remove();
  }
});

function newestTag(): string | undefined {
  return git('tag', '--list', 'v*', '--sort=-version:refname').split('\n').find(Boolean);
}

/** Our packages, if the earlier version wants the same ones. */
function install(): void {
  const lock = (root: string): string => readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  if (lock(checkout) === lock('.'))
    symlinkSync(path.resolve('node_modules'), path.join(checkout, 'node_modules'));
  else
    execFileSync('npm', ['ci', '--no-fund', '--no-audit', '--ignore-scripts'], {
      cwd: checkout,
      stdio: 'inherit',
    });
}

function remove(): void {
  if (existsSync(checkout)) rmSync(checkout, { recursive: true });
  git('worktree', 'prune');
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
