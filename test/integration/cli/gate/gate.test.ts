import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { FlagmeterError } from '#base/runtime';
import { aFeature, aUser, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { createHistory, untilHistoryLasts } from '../../../support/builders/history.ts';
import { type GitRepository, createGitRepository } from '../../../support/repositories/git-repository.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { CLI_COMMAND, type CliEnding, cliEnv } from '../../../support/stack/processes/cli.ts';

const ALWAYS_ON = /^src\/basket\.ts:3:24: warning: old-price is always-on in production\. Each of its 2000 /;

describe('flagmeter gate', () => {
  const world = sharedCountedAdminWorld();
  let repository: GitRepository;
  before(async () => {
    for (const name of ['new-basket', 'old-price', 'old-basket']) await aFeature(world.api, name);
    await world.api.delete('/api/admin/archive/old-basket');
    await untilHistoryLasts();
    const history = createHistory();
    for (const name of ['new-basket', 'old-price']) history.exists(name);
    history.exists('old-basket', { isArchived: true });
    history.seen('old-price', { first: 100 * 24, last: 1 });
    history.evaluated({ feature: 'old-price', daysAgo: 2, yes: 2000 });
    history.seen('new-baskte', { first: 2, last: 1 });
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
    world.env['FLAGMETER_TOKEN'] = (await aUser(world.api, 'Viewer', 'ci')).token;
  });
  beforeEach(async () => {
    repository = await createGitRepository('https://github.com/acme/shop.git');
    await repository.write({ 'untouched.go': `client.IsEnabled("nobody-created")\n`, 'gone.ts': '' });
    await repository.git('update-ref', 'refs/remotes/origin/main', await repository.commit());
    await repository.git('rm', '--quiet', 'gone.ts');
    await repository.write({
      'src/basket.ts': `// old-basket\n\nif (unleash.isEnabled('old-price')) isEnabled('new-basket');\n`,
    });
    await repository.commit();
  });
  afterEach(() => repository.dispose());

  const gate = async (paths: readonly string[], ...args: readonly string[]) => {
    const list = join(repository.folder, '.git', 'changed.txt');
    await writeFile(list, paths.join('\n'));
    return callCli(world, 'gate', repository.folder, '--url', world.api.url, '--in', list, ...args);
  };
  const failureOf = (...parameters: Parameters<typeof gate>) =>
    gate(...parameters).catch((error: unknown) => error);

  it('reports a flag that could go, and fails only if asked to', async () => {
    const { output, exitCode } = await gate(['src/basket.ts', 'gone.ts']);
    expect(output.split('\n')[0]).to.match(ALWAYS_ON);
    expect(output.split('\n').slice(1)).to.deep.equal([
      'gone.ts: note: not examined: not in the repository.',
      '0 errors and 1 warning. Examined 2 calls in 1 of 2 changed files.',
    ]);
    expect(exitCode).to.equal(0);
    const failed = await gate(['src/basket.ts'], '--fail-on', 'always-on,unknown');
    expect(failed.output).to.include(':3:24: error: old-price is always-on').and.include('1 error and 0');
    expect(failed.exitCode).to.equal(1);
  });

  it('prints its findings as JSON', async () => {
    const { output, exitCode } = await gate(['src/basket.ts', 'gone.ts'], '--json', '--fail-on', 'always-on');
    const { problems, ...counts } = JSON.parse(output) as { problems: Record<string, string>[] };
    expect(counts).to.deep.equal({ calls: 2, leftOut: 0, searched: 1, changed: 2 });
    expect(problems.map(({ level, where }) => `${level ?? ''} ${where ?? ''}`)).to.deep.equal([
      'error src/basket.ts:3:24',
      'note gone.ts',
    ]);
    expect(exitCode).to.equal(1);
  });

  it('fails on names that no feature has and on archived features, with the nearest name', async () => {
    await repository.write({
      'docs/ünï code.go': `client.IsEnabled("new-baskte")\nclient.IsEnabled("old-basket")\n`,
      'a.rb': `UNLEASH.enabled?('never seen')\n`,
    });
    await repository.commit();
    const { output, exitCode } = await gate([String.raw`"docs/\303\274n\303\257 code.go"`, 'a.rb']);
    const [never, typo, archived, summary] = output.split('\n');
    expect(never).to.equal('a.rb:1:19: error: never seen is unknown. No feature has this name.');
    expect(typo).to.match(/^docs\/ünï code\.go:1:19: error: new-baskte is unknown\. .*perhaps new-basket is/);
    expect(archived).to.equal(
      'docs/ünï code.go:2:19: error: old-basket is archived. Remove the call, or revive the feature.',
    );
    expect(summary).to.equal('3 errors and 0 warnings. Examined 3 calls in 2 of 2 changed files.');
    expect(exitCode).to.equal(1);
    const ignored = await gate(['a.rb'], '--ignore', 'never seen,other');
    expect(ignored).to.deep.equal({
      output: '0 errors and 0 warnings. Examined 0 calls in 1 of 1 changed file.',
      exitCode: 0,
    });
  });

  it('takes verdicts on one environment', async () => {
    const { output, exitCode } = await gate(
      ['src/basket.ts'],
      '--environment',
      'development',
      '--fail-on',
      'always-on',
    );
    expect(output).to.equal('0 errors and 0 warnings. Examined 2 calls in 1 of 1 changed file.');
    expect(exitCode).to.equal(0);
  });

  it('takes no environment that nobody has created and nothing was counted in', async () => {
    const args = ['--environment', 'prodction', '--fail-on', 'always-on'];
    expect(await failureOf(['src/basket.ts'], ...args))
      .to.be.instanceOf(FlagmeterError)
      .with.property('message')
      .that.equals('there is no environment prodction: the environments are development, production');
    const history = createHistory();
    history.evaluated({ feature: 'new-basket', environment: 'counted', daysAgo: 1, yes: 1 });
    await history.write(world);
    expect((await gate(['src/basket.ts'], '--environment', 'counted')).exitCode).to.equal(0);
  });

  it('reads only files that git tracks, follows no links, and shows no control characters', async () => {
    const outside = join(repository.folder, '.git', 'outside.ts');
    await writeFile(outside, `isEnabled('outside')`);
    await symlink(outside, join(repository.folder, 'link.ts'));
    await repository.write({
      'bad\u001b[31m.ts': `isEnabled('bad')`,
      'large.ts': `isEnabled('large')${' '.repeat(8 * 1024 * 1024)}`,
    });
    await repository.commit();
    const paths = ['link.ts', '.git/outside.ts', '../outside.ts', String.raw`"bad\033[31m.ts"`, 'large.ts'];
    const { output } = await gate(paths);
    expect(output.split('\n')).to.deep.equal([
      'bad\u{fffd}[31m.ts:1:12: error: bad is unknown. No feature has this name.',
      '.git/outside.ts: error: not examined: git has never had a file with this path.',
      '../outside.ts: error: not examined: git has never had a file with this path.',
      'link.ts: note: not examined: a symbolic link.',
      'large.ts: error: not examined: larger than 8 MiB.',
      '4 errors and 0 warnings. Examined 1 call in 1 of 5 changed files.',
    ]);
  });

  it('runs as the documents show it for GitHub Actions', async () => {
    const text = await readFile('docs/use/code-references.md', 'utf8');
    const [, command = ''] = /^ +git diff (.+\n.+npx flagmeter gate .+)$/m.exec(text) ?? [];
    expect(command).to.include('--in -');
    const ending = await shell(`git diff ${command}`);
    expect(ending.stderr).to.equal('');
    expect(ending.stdout).to.include('error: old-price is always-on in production');
    expect(ending.code).to.equal(1);
  });

  it('is wrong usage without a path, as after a failure of git diff', async () => {
    for (const paths of [[], ['', '']])
      expect(await failureOf(paths))
        .to.be.instanceOf(FlagmeterError)
        .with.property('code', 'usage');
    const ending = await shell('git diff --name-only origin/none... | npx flagmeter gate --in -');
    expect(ending.stderr).to.include('did git diff fail?');
    expect(ending.code).to.equal(2);
  });

  it('says that the token may not read', async () => {
    const token = world.env['FLAGMETER_TOKEN'];
    world.env['FLAGMETER_TOKEN'] = 'wrong';
    try {
      expect(String(await failureOf(['src/basket.ts']))).to.include('answered 401');
    } finally {
      Object.assign(world.env, { FLAGMETER_TOKEN: token });
    }
  });

  /** Runs a command line of a CI system for the repository. */
  function shell(line: string): Promise<CliEnding> {
    const program = [process.execPath, ...CLI_COMMAND].map((word) => `'${word}'`).join(' ');
    const env = cliEnv(world, { FLAGMETER_URL: world.api.url, GITHUB_BASE_REF: 'main' });
    const options = { env, timeout: 60_000 };
    const command = line
      .replace('git diff', `git -C '${repository.folder}' diff`)
      .replace('npx flagmeter gate', `${program} gate '${repository.folder}'`);
    return new Promise((resolve, reject) => {
      execFile('bash', ['--norc', '-e', '-c', command], options, (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(error ?? new Error('ended by a signal'));
      });
    });
  }
});
