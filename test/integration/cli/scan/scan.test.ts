import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Log } from 'sarif';
import { FlagmeterError } from '#base/runtime';
import { createTokens } from '#base/auth';
import { createSecret } from '#base/tokens';
import { aFeature, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { countAll } from '../../../support/admin-api/usage.ts';
import { type GitRepository, createGitRepository } from '../../../support/repositories/git-repository.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';

const PATH = '/api/admin/code-references';

describe('flagmeter scan', () => {
  const world = sharedCountedAdminWorld();
  let repository: GitRepository;
  let commit: string;
  before(async () => {
    for (const name of ['new-basket', 'old-basket', 'checkout']) await aFeature(world.api, name);
    await world.api.delete('/api/admin/archive/old-basket');
    await countAll(world.clickhouse, [
      {
        at: `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 13)}:00:00Z`,
        feature_name: 'new-baskte',
      },
    ]);
    world.env['FLAGMETER_TOKEN'] = createSecret([], '*');
    const token = {
      secret: world.env['FLAGMETER_TOKEN'],
      name: 'ci',
      type: 'scan',
      environment: '*',
      projects: [],
    } as const;
    await createTokens(world.db).create({ ...token, expiresAt: undefined });
  });
  beforeEach(async () => {
    await world.db.query('delete from code_repositories');
    repository = await createGitRepository('https://ci:s3cret@github.com/acme/shop.git');
    await repository.write({
      '.gitignore': 'dist/\n',
      'dist/bundle.js': `isEnabled('new-basket')`,
      'src/basket.ts': `import { unleash } from './unleash';\n\nif (unleash.isEnabled('new-basket')) checkout();\n`,
      'docs/ünï code.md': 'Behind new-basket.\n',
      'main.go': `client.IsEnabled("old-basket")\nclient.IsEnabled("new-baskte")\n`,
      'picture.png': Buffer.from('\u0000new-basket'),
      'large.json': `"new-basket"${' '.repeat(8 * 1024 * 1024)}`,
    });
    commit = await repository.commit();
  });
  afterEach(() => repository.dispose());

  const scan = (...args: readonly string[]) =>
    callCli(world, 'scan', repository.folder, '--url', world.api.url, ...args);
  const failureOf = (...args: readonly string[]) => scan(...args).catch((error: unknown) => error);

  it('shows calls and mentions of features, archived ones and unknown names', async () => {
    const { output } = await scan();
    expect(output.split('\n')).to.deep.equal([
      'new-basket',
      '  docs/ünï code.md:1:8  mention  Behind new-basket.',
      `  src/basket.ts:3:24  call     if (unleash.isEnabled('new-basket')) checkout();`,
      '',
      'new-baskte (unknown)',
      '  main.go:2:19  call     client.IsEnabled("new-baskte")',
      '',
      'old-basket (archived)',
      '  main.go:1:19  call     client.IsEnabled("old-basket")',
      '',
      'Not searched:',
      '  large.json  larger than 8 MiB',
      '  picture.png  binary',
      '',
      '4 places of 3 names. Searched for 4 names in 4 files.',
      '2 tracked files not searched: 1 larger than 8 MiB, 1 binary.',
    ]);
  });

  it('searches only names of one project, and only below a folder', async () => {
    await world.api.post('/api/admin/projects', { id: 'pay', name: 'Pay' });
    expect((await scan('--project', 'pay')).output).to.include(
      '\n0 places of 0 names. Searched for 0 names in 4 files.\n',
    );
    const { output } = await callCli(
      world,
      'scan',
      join(repository.folder, 'src'),
      '--url',
      world.api.url,
      '--format',
      'json',
    );
    expect((JSON.parse(output) as { places: object[] }).places).to.deep.equal([
      {
        name: 'new-basket',
        state: 'active',
        path: 'src/basket.ts',
        line: 3,
        column: 24,
        kind: 'call',
        text: `if (unleash.isEnabled('new-basket')) checkout();`,
      },
    ]);
  });

  it('pushes places, lines, commit and repository, and replaces them with the next push', async () => {
    await scan('--push');
    const read = async (): Promise<unknown> => (await world.api.get(`${PATH}/features/new-basket`)).body;
    const [pushed] = ((await read()) as { repositories: { places: object[] }[] }).repositories;
    expect(pushed).to.deep.include({
      repository: 'github.com/acme/shop',
      branch: 'main',
      commit,
      pushedBy: 'ci',
      leftOut: 0,
      linkTemplate: 'https://github.com/acme/shop/blob/{commit}/{path}#L{line}',
      places: [
        { path: 'docs/ünï code.md', line: 1, kind: 'mention' },
        { path: 'src/basket.ts', line: 3, kind: 'call' },
      ],
    });
    await repository.write({ 'src/basket.ts': 'checkout();\n', 'docs/ünï code.md': 'Gone.\n' });
    await repository.commit();
    await scan('--push');
    expect(await read()).to.deep.include({ total: 0, repositories: [] });
    expect((await world.api.get(`${PATH}/counts`)).body).to.deep.equal({
      features: [
        { featureName: 'new-baskte', calls: 1, mentions: 0, repositories: 1 },
        { featureName: 'old-basket', calls: 1, mentions: 0, repositories: 1 },
      ],
    });
  });

  it('needs a branch and a name where git has none, as in CI systems', async () => {
    await repository.git('checkout', '--quiet', '--detach');
    await repository.git('remote', 'remove', 'origin');
    expect(await failureOf('--push'))
      .to.be.instanceOf(FlagmeterError)
      .with.property('code', 'usage');
    await scan('--push', '--repository', 'acme/shop', '--branch', 'main');
    const { body } = await world.api.get(`${PATH}/repositories`);
    expect((body as { repositories: object[] }).repositories[0]).to.deep.include({
      repository: 'acme/shop',
      branch: 'main',
      commit,
      linkTemplate: null,
      places: 4,
    });
  });

  it('writes SARIF with encoded paths', async () => {
    const log = JSON.parse((await scan('--format', 'sarif')).output) as Log;
    const [run] = log.runs;
    expect(run?.versionControlProvenance).to.deep.equal([
      { repositoryUri: 'https://github.com/acme/shop', revisionId: commit, branch: 'main' },
    ]);
    expect(run?.results?.map(({ ruleId, level }) => `${ruleId ?? ''} ${level ?? ''}`)).to.deep.equal([
      'feature note',
      'feature note',
      'unknown-feature warning',
      'archived-feature warning',
    ]);
    const { artifactLocation, region } = run?.results?.[0]?.locations?.[0]?.physicalLocation ?? {};
    expect([artifactLocation?.uri, region]).to.deep.equal([
      'docs/%C3%BCn%C3%AF%20code.md',
      { startLine: 1, startColumn: 8 },
    ]);
  });

  it('follows no links, runs no program of the repository, and shows no control characters', async () => {
    await symlink('/etc/passwd', join(repository.folder, 'link.ts'));
    await repository.write({ 'bad\u001b[31m.ts': `isEnabled('new-basket') // \u001b]0;title\u0007` });
    await repository.commit();
    await repository.write({ hook: `#!/bin/sh\ntouch "${repository.folder}/ran"\n` });
    await repository.git('config', 'core.fsmonitor', `sh ${repository.folder}/hook`);
    const { output } = await scan();
    expect(output).to.include('bad\u{fffd}[31m.ts').and.not.include('\u001b');
    expect(output).to.include('in 5 files');
    expect(await repository.git('-c', 'core.fsmonitor=false', 'ls-files', '--others', 'ran')).to.equal('');
  });

  it('fails if references of a later commit are stored, as in a job that was late', async () => {
    await scan('--push');
    const { body } = await world.api.get(`${PATH}/repositories`);
    const [stored] = (body as { repositories: { committedAt: string }[] }).repositories;
    const seconds = await repository.git('show', '--no-patch', '--format=%ct');
    expect(Date.parse(stored?.committedAt ?? '')).to.equal(Number(seconds) * 1000);
    await scan('--push');
    await world.db.query(`update code_repositories set committed_at = committed_at + interval '1 second'`);
    expect(String(await failureOf('--push'))).to.include(
      'References of a later commit of this branch are stored.',
    );
  });

  it('runs as the documents show it for CI systems', async () => {
    const text = await readFile('docs/use/code-references.md', 'utf8');
    const commands = [...text.matchAll(/npx flagmeter (scan --push .+)$/gm)].map(
      ([, command = '']) => command,
    );
    expect(commands.length).to.equal(2);
    for (const command of commands) {
      await world.db.query('delete from code_repositories');
      await repository.git('checkout', '--quiet', '--detach');
      const words = command
        .replaceAll(/"\$(GITHUB_REF_NAME|CI_COMMIT_BRANCH)"/g, 'main')
        .split(' ')
        .slice(1);
      await scan(...words);
      const { body } = await world.api.get(`${PATH}/repositories`);
      expect((body as { repositories: object[] }).repositories[0]).to.deep.include({
        branch: 'main',
        places: 4,
      });
    }
  });

  it('says what is wrong with the folder, the token and the address', async () => {
    const messageAt = (path: string, url: string): Promise<string> =>
      callCli(world, 'scan', path, '--url', url).then(({ output }) => output, String);
    expect(await messageAt('/', world.api.url)).to.include('not a git repository');
    expect(await messageAt(repository.folder, 'http://127.0.0.1:1')).to.include('did not answer');
    world.env['FLAGMETER_TOKEN'] = 'wrong';
    expect(await messageAt(repository.folder, world.api.url)).to.include('answered 401');
  });
});
