import { createHash } from 'node:crypto';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Log } from 'sarif';
import { REASONS, isLost } from '../../../../services/cli/commands/scan/search/unsearched.ts';
import { aFeature, aUser, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { someByDay } from '../../../support/nightly.ts';
import { type GitRepository, createGitRepository } from '../../../support/repositories/git-repository.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';

type Reason = keyof typeof REASONS;
const CALL = `isEnabled('new-basket')\n`;
const LONG = `${'a'.repeat(300)}.ts`;

/** Makes a tracked file that is not searched for each reason, and returns its path. */
const MAKE: Readonly<Record<Reason, (repository: GitRepository) => Promise<string>>> = {
  binary: (repository) => committed(repository, 'picture.png', '\0\u{1}'),
  large: (repository) => committed(repository, 'large.ts', `${CALL}${' '.repeat(8 * 1024 * 1024)}`),
  lfs: (repository) =>
    committed(repository, 'film.mp4', `version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n`),
  async link(repository) {
    await symlink('kept.ts', join(repository.folder, 'link.ts'));
    await repository.commit();
    return 'link.ts';
  },
  async submodule(repository) {
    await addToIndex(repository, '160000', 'lib/sub');
    return 'lib/sub';
  },
  async sparse(repository) {
    await committed(repository, 'docs/sparse.ts', CALL);
    await repository.git('sparse-checkout', 'set', 'src');
    return 'docs/sparse.ts';
  },
  async missing(repository) {
    await committed(repository, 'gone.ts', CALL);
    await rm(join(repository.folder, 'gone.ts'));
    return 'gone.ts';
  },
  async unstaged(repository) {
    await committed(repository, 'src/unstaged.ts', CALL);
    await rm(join(repository.folder, 'src'), { recursive: true });
    await rm(join(repository.folder, '.git', 'index'));
    await repository.git('checkout', 'HEAD', '--', 'kept.ts');
    return 'src/unstaged.ts';
  },
  async unreadable(repository) {
    await addToIndex(repository, '100644', LONG);
    return LONG;
  },
  async outside(repository) {
    await addToIndex(repository, '100644', '__/flagmeter-outside.ts');
    await editIndex(repository, '__/', '../');
    return '../flagmeter-outside.ts';
  },
};

async function committed(repository: GitRepository, path: string, content: string): Promise<string> {
  await repository.write({ [path]: content });
  await repository.commit();
  return path;
}

async function addToIndex(repository: GitRepository, mode: string, path: string): Promise<void> {
  const object = await repository.git('rev-parse', mode === '160000' ? 'HEAD' : 'HEAD:kept.ts');
  await repository.git('update-index', '--add', '--cacheinfo', `${mode},${object},${path}`);
}

/** Git adds no such path itself. The index ends with its hash. */
async function editIndex({ folder }: GitRepository, old: string, now: string): Promise<void> {
  const file = join(folder, '.git', 'index');
  const content = (await readFile(file, 'latin1')).slice(0, -20).replace(old, now);
  const bytes = Buffer.from(content, 'latin1');
  await writeFile(file, Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]));
}

describe('files that are not searched', () => {
  const world = sharedCountedAdminWorld();
  let repository: GitRepository;
  before(async () => {
    await aFeature(world.api, 'new-basket');
    world.env['FLAGMETER_TOKEN'] = (await aUser(world.api, 'Admin', 'ci')).token;
  });
  beforeEach(async () => {
    repository = await createGitRepository('https://github.com/acme/shop.git');
    await repository.write({ 'kept.ts': CALL });
    await repository.commit();
  });
  afterEach(() => repository.dispose());

  const scan = async (...args: readonly string[]): Promise<string> =>
    (await callCli(world, 'scan', repository.folder, '--url', world.api.url, ...args)).output;
  const gate = async (paths: string | Buffer, ...args: readonly string[]) => {
    const list = join(repository.folder, '.git', 'changed.txt');
    await writeFile(list, paths);
    return callCli(world, 'gate', repository.folder, '--url', world.api.url, '--in', list, ...args);
  };
  const failureOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'none', String);

  const all = Object.entries(MAKE) as [Reason, (typeof MAKE)[Reason]][];
  for (const [reason, make] of someByDay(all, 1 / 5, ([one]) => isLost({ path: '', reason: one }))) {
    const words = REASONS[reason];
    const isFailure = reason === 'large' || isLost({ path: '', reason });

    it(`are counted and named by scan: ${words}`, async () => {
      const path = await make(repository);
      const text = await scan();
      expect(text).to.include(`\nNot searched:\n  ${path}  ${words}\n`);
      expect(text).to.include(`\n1 tracked file not searched: 1 ${words}.`);
      const { files } = JSON.parse(await scan('--format', 'json')) as { files: { unsearched: object[] } };
      expect(files.unsearched).to.deep.equal([{ path, reason }]);
      const log = JSON.parse(await scan('--format', 'sarif')) as Log;
      const notifications = log.runs[0]?.invocations?.[0]?.toolExecutionNotifications;
      expect(notifications?.map(({ message }) => message.text)).to.deep.equal([`Not searched: ${words}`]);
    });

    it(`${isFailure ? 'fail' : 'do not fail'} the gate, and are named: ${words}`, async () => {
      const path = await make(repository);
      const level = isFailure ? 'error' : 'note';
      const { output, exitCode } = await gate(`kept.ts\n${path}\n`);
      expect(output).to.include(`${path}: ${level}: not examined: ${words}.`);
      expect(output).to.include('Examined 1 call in 1 of 2 changed files.');
      expect(exitCode).to.equal(isFailure ? 1 : 0);
      expect((await gate(path, '--fail-on', 'unknown')).exitCode).to.equal(0);
    });

    it(`${isLost({ path: '', reason }) ? 'prevent' : 'allow'} a push: ${words}`, async () => {
      await make(repository);
      const failure = await failureOf(scan('--push'));
      if (isLost({ path: '', reason })) expect(failure).to.include('nothing was pushed').and.include(words);
      else expect(failure).to.equal('none');
    });
  }

  it('are pushed after the commands that the message says', async () => {
    await MAKE.sparse(repository);
    const [, disable = '', restore = ''] =
      /, with git (.+) and git (.+)$/.exec(await failureOf(scan('--push'))) ?? [];
    await rm(join(repository.folder, 'kept.ts'));
    for (const command of [disable, restore]) await repository.git(...command.split(' '));
    expect(await scan('--push'))
      .to.include('2 places of 1 name.')
      .and.not.include('not searched');
  });

  it('include no text: calls are found in every encoding, and beside a NUL', async () => {
    await repository.write({
      'le.cs': Buffer.from(`\u{feff}IsEnabled("in-le")`, 'utf16le'),
      'be.cs': Buffer.from(`\u{feff}IsEnabled("in-be")`, 'utf16le').swap16(),
      'bare.cs': Buffer.from(`IsEnabled("in-bare")`, 'utf16le'),
      'nul.js': `isEnabled('in-nul') // \0`,
      'pointer.js': `version https://git-lfs.github.com/spec/v1\nisEnabled('in-pointer')`,
    });
    await repository.commit();
    const { output, exitCode } = await gate('le.cs\nbe.cs\nbare.cs\nnul.js\npointer.js');
    for (const name of ['in-le', 'in-be', 'in-bare', 'in-nul', 'in-pointer'])
      expect(output).to.include(`: error: ${name} is unknown.`);
    expect(output).to.include('le.cs:1:12: ').and.include('nul.js: note: not examined: binary.');
    expect(exitCode).to.equal(1);
  });

  it('have no strange name: every name that git tracks is searched and found in the list', async () => {
    const names = [
      '-dash.ts',
      'new\nline.ts',
      '"quoted".ts',
      'tab\t.ts',
      ':(top).ts',
      '[a]*.ts',
      ' space .ts',
    ];
    await repository.write(Object.fromEntries(names.map((name) => [name, CALL])));
    const bytes = Buffer.from('caf\u{e9}.ts', 'latin1');
    await writeFile(Buffer.concat([Buffer.from(`${repository.folder}/`), bytes]), CALL);
    await repository.commit();
    const text = await scan();
    expect(text).to.include('9 places of 1 name.').and.not.include('ot searched');
    expect(text)
      .to.include(String.raw`  "caf\351.ts":1:12  call`)
      .and.include('  new\u{fffd}line.ts:1:12');
    await scan('--push');
    for (const quotePath of ['true', 'false']) {
      const list = await repository.git(
        '-c',
        `core.quotePath=${quotePath}`,
        'ls-files',
        'caf*',
        '*line*',
        '*tab*',
      );
      const raw = quotePath === 'true' ? Buffer.from(list) : Buffer.concat([bytes, Buffer.from('\nkept.ts')]);
      expect((await gate(raw)).output).to.match(/Examined (?:3 calls in 3 of 3|2 calls in 2 of 2) changed/);
    }
    expect((await gate([...names, ''].join('\0'))).output).to.include('7 calls in 7 of 7 changed files');
  });

  it('are behind a folder that became a link, out of the repository or within', async () => {
    await repository.write({ 'src/a.ts': CALL, 'other/a.ts': CALL });
    await repository.commit();
    await rm(join(repository.folder, 'src'), { recursive: true });
    await symlink('other', join(repository.folder, 'src'));
    expect(await scan())
      .to.include('  src/a.ts  missing in the work tree')
      .and.not.include('src/a.ts:1');
  });

  it('have no names or lines that a CI system would obey', async () => {
    const order = '##vso[task.setvariable variable=PATH]';
    await repository.write({
      '::stop-commands::x.ts': `isEnabled('typo'); isEnabled('new-basket') // ${order} ##[error]no\n`,
      [`${order}.ts`]: `isEnabled('typo')\n${CALL}`,
      'c++::d.ts': CALL,
    });
    await repository.commit();
    const outputs = [await scan(), (await gate(`::stop-commands::x.ts\n${order}.ts\n::none::`)).output];
    for (const output of outputs) {
      expect(output).to.not.match(/^\s*::/m);
      expect(output).to.not.match(/##(?:vso)?\[/);
      expect(output).to.include('stop-commands::x.ts:1:').and.include('[task.setvariable');
    }
    expect(outputs[0]).to.include('  c++::d.ts:1:12');
  });

  it('are none in a further work tree, a submodule, a repository with SHA-256, and with a sparse index', async () => {
    const further = join(repository.folder, 'further');
    await repository.git('worktree', 'add', '--quiet', '-b', 'side', further);
    const output = (await callCli(world, 'scan', further, '--url', world.api.url, '--format', 'json')).output;
    expect(JSON.parse(output)).to.deep.include({ repository: 'github.com/acme/shop', branch: 'side' });
    await repository.git('worktree', 'remove', further);

    await repository.write({ 'docs/a.ts': CALL });
    await repository.commit();
    await repository.git('pack-refs', '--all');
    await repository.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
    expect(await scan()).to.include('1 tracked file not searched: 1 not in the sparse checkout.');

    await rm(join(repository.folder, '.git'), { recursive: true });
    await repository.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main');
    const commit = await repository.commit();
    expect(commit).to.have.length(64);
    expect(JSON.parse(await scan('--format', 'json'))).to.deep.include({ commit, branch: 'main' });
  });
});
