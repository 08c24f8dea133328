import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type GitRepository, createGitRepository } from './git-repository.ts';

const run = promisify(execFile);

/** Programs that leave a mark when they run, each with its own name. */
export type Marks = {
  readonly folder: string;
  /** Makes a program, and returns its path. */
  program(name: string): Promise<string>;
  /** The names of the programs that ran since the last call. */
  take(): Promise<string[]>;
  dispose(): Promise<void>;
};

export async function createMarks(): Promise<Marks> {
  const folder = await mkdtemp(join(tmpdir(), 'flagmeter-marks-'));
  const [programs, left] = [join(folder, 'programs'), join(folder, 'left')];
  for (const one of [programs, left]) await mkdir(one);
  const script = join(folder, 'script');
  await writeFile(script, `#!/bin/sh\n: > "${left}/$(basename "$0")"\n`);
  await chmod(script, 0o755);
  return {
    folder,
    async program(name) {
      const file = join(programs, name);
      await symlink(script, file).catch(() => undefined);
      return file;
    },
    async take() {
      const names = await readdir(left);
      await Promise.all(names.map((name) => rm(join(left, name))));
      return names.sort();
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Git lists a few words that cannot be written as a key. */
const KEY = /^[a-z][a-z0-9]*(?:\.[\w<>*-]+)*\.(?:[a-z][a-z0-9-]*|<[\w-]+>|\*)$/i;

/** Each key of configuration that the installed git knows, with a name where it takes any. */
export async function configurationKeys(): Promise<string[]> {
  const { stdout } = await run('git', ['help', '-c']);
  const keys = stdout.split('\n').filter((line) => KEY.test(line));
  const commands = ['status', 'show', 'log', 'ls-files', 'rev-parse', 'config', 'symbolic-ref'];
  return [...new Set(keys.flatMap((key) => namedKeys(key, commands)))];
}

function namedKeys(key: string, commands: readonly string[]): string[] {
  if (/^(?:alias|pager)\./.test(key)) return commands.map((command) => key.replace(/<.+>|\*/, command));
  if (key.startsWith('gpg.<')) return ['ssh', 'x509', 'openpgp'].map((format) => key.replace(/<.+>/, format));
  return [key.replaceAll(/<[\w-]+>|\*/g, 'evil')];
}

const NAMES_PROGRAM =
  /^(?!(?:advice|color|column)\.|.*cachetextconv).*(?:command|program|cmd|clean|smudge|process|textconv|external|driver|editor|pager|helper|askpass|fsmonitor|gitproxy|packobjectshook|uploadpack|receivepack|vcs)$/i;

/** The keys among these that name a program, by their last word, and one that `git help -c` leaves out. */
export function programKeys(keys: readonly string[]): string[] {
  return [...keys.filter((key) => NAMES_PROGRAM.test(key)), 'filter.evil.process'];
}

/** The variables that the installed git knows: its program has their names. */
export async function gitVariables(): Promise<string[]> {
  const { stdout } = await run('git', ['--exec-path']);
  const program = await readFile(join(stdout.trim(), 'git'), 'latin1');
  return [...new Set([...program.matchAll(/(?<![A-Z_])GIT_[A-Z_]+[A-Z](?![A-Z_])/g)].map(([name]) => name))];
}

/** A file of configuration in which each key names a program. */
export async function configOf(marks: Marks, keys: readonly string[], prefix = ''): Promise<string> {
  const settings = keys.map(async (key) => {
    const [, section = '', name, variable = ''] = /^([^.]+)(?:\.(.+))?\.([^.]+)$/.exec(key) ?? [];
    const subsection = name === undefined ? '' : ` "${name}"`;
    return `[${section}${subsection}]\n\t${variable} = ${await marks.program(`${prefix}${key}`)}\n`;
  });
  return (await Promise.all(settings)).join('');
}

const ATTRIBUTES = '* filter=evil diff=evil merge=evil\n';
const HOOKS = ['post-index-change', 'reference-transaction', 'post-checkout', 'fsmonitor-watchman'];
/** Git verifies this signature by a program if it shows the commit. */
const SIGNATURE =
  'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----\n';

/**
 * A repository with a signed commit, hooks, attributes for all files, a submodule, a `git` in `node_modules/.bin`, and
 * these configurations. Its files were written after the index, so that git compares them by its filters.
 */
export async function createHostileRepository(
  marks: Marks,
  files: Readonly<Record<string, string>>,
  configs: { readonly repository: string; readonly submodule: string },
): Promise<GitRepository> {
  const repository = await createGitRepository('https://github.com/acme/shop.git');
  const { folder } = repository;
  await repository.write({ ...files, '.gitattributes': ATTRIBUTES });
  await addSubmodule(repository);
  await repository.commit();
  const commit = await repository.git('cat-file', 'commit', 'HEAD');
  await writeFile(join(folder, '.git', 'signed'), `${commit.replace('\n\n', `\n${SIGNATURE}\n`)}\n`);
  const signed = await repository.git('hash-object', '-t', 'commit', '-w', '.git/signed');
  await repository.git('update-ref', 'HEAD', signed);

  await repository.write({ ...files, '.git/info/attributes': ATTRIBUTES });
  await mkdir(join(folder, 'node_modules', '.bin'), { recursive: true });
  await symlink(await marks.program('git'), join(folder, 'node_modules', '.bin', 'git'));
  for (const hook of HOOKS) await symlink(await marks.program(hook), join(folder, '.git', 'hooks', hook));
  await appendConfig(repository, '.git/config', configs.repository);
  await appendConfig(repository, 'lib/sub/.git/config', configs.submodule);
  return repository;
}

async function addSubmodule(repository: GitRepository): Promise<void> {
  const sub = await createGitRepository('https://github.com/acme/sub.git');
  await sub.write({ 'a.ts': '', '.gitattributes': ATTRIBUTES });
  await sub.commit();
  await repository.git('-c', 'protocol.file.allow=always', 'clone', '--quiet', sub.folder, 'lib/sub');
  await sub.dispose();
}

async function appendConfig({ folder }: GitRepository, path: string, config: string): Promise<void> {
  const file = join(folder, path);
  await writeFile(file, `${await readFile(file, 'utf8')}${config}`);
}
