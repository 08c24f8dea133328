import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { aFeature, aUser, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import type { GitRepository } from '../../../support/repositories/git-repository.ts';
import {
  type Marks,
  configOf,
  configurationKeys,
  createHostileRepository,
  createMarks,
  gitVariables,
  programKeys,
} from '../../../support/repositories/hostile-repository.ts';
import { type CliOutcome, callCli } from '../../../support/stack/processes/cli-in-process.ts';

const run = promisify(execFile);
const FILES = { 'a.ts': `isEnabled('new-basket')\n` };
/** The commands of the CLI that call git. */
const COMMANDS = ['gate/gate.ts', 'scan/scan.ts'];

describe('a repository of a stranger', () => {
  const world = sharedCountedAdminWorld();
  let marks: Marks;
  let keys: readonly string[];
  before(async () => {
    await aFeature(world.api, 'new-basket');
    world.env['FLAGMETER_TOKEN'] = (await aUser(world.api, 'Admin', 'ci')).token;
    keys = await configurationKeys();
  });
  beforeEach(async () => {
    marks = await createMarks();
  });
  afterEach(() => marks.dispose());

  const call = (repository: GitRepository, env: Readonly<Record<string, string>>, ...args: string[]) =>
    callCli({ ...world, env: { ...world.env, ...env } }, ...args, '--url', world.api.url, repository.folder);

  /** Runs each command in each form, and returns the programs that ran. */
  async function runAll(repository: GitRepository, env: Readonly<Record<string, string>> = {}) {
    const list = join(marks.folder, 'changed.txt');
    await writeFile(list, 'a.ts\n');
    const outcomes: Record<string, CliOutcome> = {
      scan: await call(repository, env, 'scan'),
      push: await call(repository, env, 'scan', '--push', '--format', 'json'),
      sarif: await call(repository, env, 'scan', '--format', 'sarif'),
      gate: await call(repository, env, 'gate', '--in', list),
    };
    expect(outcomes['scan']?.output).to.include(`a.ts:1:12  call     isEnabled('new-basket')`);
    expect(JSON.parse(outcomes['push']?.output ?? '')).to.include({
      repository: 'github.com/acme/shop',
      branch: 'main',
    });
    expect(outcomes['gate']?.output).to.include('Examined 1 call in 1 of 1 changed file.');
    return marks.take();
  }

  const within = async (config: string, use: (repository: GitRepository) => Promise<void>) => {
    const submodule = await configOf(marks, programKeys(keys), 'submodule.');
    const repository = await createHostileRepository(marks, FILES, { repository: config, submodule });
    try {
      await marks.take();
      await use(repository);
    } finally {
      await repository.dispose();
    }
  };

  it('runs none of its programs, whatever its configuration names', async () => {
    const programs = programKeys(keys);
    expect(programs.length).to.be.greaterThan(25);
    const further = join(marks.folder, 'included');
    await writeFile(further, await configOf(marks, programs, 'included.'));
    const config = await configOf(marks, programs);
    const armed = '[log]\n\tshowSignature = true\n[extensions]\n\tworktreeConfig = true\n';
    await within(`${config}${armed}[include]\n\tpath = ${further}\n`, async (repository) => {
      await repository.write({ '.git/config.worktree': await configOf(marks, programs, 'worktree.') });
      expect(await runAll(repository)).to.deep.equal([]);
      // Git itself runs those that these commands need, and fails.
      for (const args of [['status'], ['log', '-1'], ['-C', 'lib/sub', 'status']])
        await run('git', ['-C', repository.folder, ...args]).catch(() => undefined);
      expect(await marks.take()).to.include.members([
        'submodule.core.fsmonitor',
        'worktree.core.fsmonitor',
        'worktree.filter.evil.process',
        'worktree.gpg.program',
      ]);
    });
  });

  it('obeys no key of git help -c, and fails of none', async () => {
    expect(keys.length).to.be.greaterThan(500);
    await within(await configOf(marks, keys), async (repository) => {
      expect(await runAll(repository)).to.deep.equal([]);
    });
  });

  it('takes nothing from the environment and the home of the user but the path of git', async () => {
    await within('', async (repository) => {
      const variables = await gitVariables();
      expect(variables).to.include.members(['GIT_DIR', 'GIT_EXTERNAL_DIFF', 'GIT_EXEC_PATH', 'GIT_TRACE']);
      const named = variables.map(async (name) => [name, await marks.program(name)] as const);
      await writeFile(join(marks.folder, '.gitconfig'), await configOf(marks, keys));
      const foreign = [join(repository.folder, 'node_modules', '.bin'), 'node_modules/.bin', '.', ''];
      const env = {
        ...Object.fromEntries(await Promise.all(named)),
        HOME: marks.folder,
        PATH: [...foreign, process.env['PATH']].join(delimiter),
      };
      expect(await runAll(repository, env)).to.deep.equal([]);
    });
  });

  it('is read by these commands only, and by one function', async () => {
    const folder = 'services/cli/commands';
    const sources = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const texts = await Promise.all(
      sources.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })),
    );
    const withText = (text: string) => texts.filter((one) => one.text.includes(text)).map(({ name }) => name);
    expect(withText('openRepository(path')).to.have.members(COMMANDS);
    expect(withText('node:child_process')).to.deep.equal(['scan/git/call-git.ts']);
  });
});
