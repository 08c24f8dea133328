import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { aFeature, aUser, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { type GitRepository, createGitRepository } from '../../../support/repositories/git-repository.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';

const CALL = `isEnabled('new-basket')\n`;

describe('the list of changed files of flagmeter gate', () => {
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

  const gate = async (paths: string | Buffer) => {
    const list = join(repository.folder, '.git', 'changed.txt');
    await writeFile(list, paths);
    return callCli(world, 'gate', repository.folder, '--url', world.api.url, '--in', list);
  };
  const failureOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'none', String);

  it('fails on files that git does not track, and takes no paths from another folder', async () => {
    await repository.write({ 'src/kept.ts': CALL });
    await repository.commit();
    await repository.write({ 'untracked.ts': CALL });
    const { output, exitCode } = await gate('./kept.ts\nuntracked.ts');
    expect(output).to.include('untracked.ts: error: not examined: git does not track it.');
    expect(output).to.include('1 error and 0 warnings. Examined 1 call in 1 of 2');
    expect(exitCode).to.equal(1);
    const list = join(repository.folder, '.git', 'changed.txt');
    await repository.git('mv', 'kept.ts', 'other.ts');
    await repository.commit();
    await writeFile(list, 'kept.ts\n');
    const inFolder = ['gate', join(repository.folder, 'src'), '--url', world.api.url, '--in', list];
    expect(await failureOf(callCli(world, ...inFolder))).to.include('--in has paths from src/');
  });

  it('names deleted files only if git has had them, so no list of another form passes', async () => {
    const deleted = ['deleted.ts', 'src/ünï code.ts', '-dash.ts', ':(top).ts', '[a]*.ts'];
    await repository.write(Object.fromEntries(deleted.map((name) => [name, CALL])));
    await repository.write({ 'src/call.ts': `isEnabled('typo')\n` });
    await repository.commit();
    for (const name of deleted) await rm(join(repository.folder, name));
    await repository.commit();
    const gone = await gate(deleted.join('\n'));
    for (const name of deleted)
      expect(gone.output).to.include(`${name}: note: not examined: not in the repository.`);
    expect(gone.exitCode).to.equal(0);

    const forms: Readonly<Record<string, string>> = {
      'from the folder': 'call.ts',
      'from above': 'shop/src/call.ts',
      absolute: join(repository.folder, 'src/call.ts'),
      'of Windows': String.raw`src\call.ts`,
      'in other case': 'SRC/call.ts',
      'with a space before': ' src/call.ts',
      'with two slashes': 'src//call.ts',
      'with a detour': 'src/../src/call.ts',
      'with the prefixes of a diff': 'b/src/call.ts',
      'in a renaming': 'src/{old.ts => call.ts}',
      'as a list of commas': 'src/call.ts,kept.ts',
    };
    const { output, exitCode } = await gate(Object.values(forms).join('\n'));
    for (const [form, path] of Object.entries(forms))
      expect(output, form).to.include(`${path}: error: not examined: git `);
    expect(exitCode).to.equal(1);
  });

  it('may have each encoding that PowerShell writes', async () => {
    await repository.write({ 'ä.ts': `isEnabled('typo')\n` });
    await repository.commit();
    const list = '\u{feff}kept.ts\r\nä.ts\r\n';
    const lists = [Buffer.from(list), Buffer.from(list, 'utf16le'), Buffer.from(list, 'utf16le').swap16()];
    for (const encoded of lists)
      expect((await gate(encoded)).output)
        .to.include('ä.ts:1:12: error: typo is unknown.')
        .and.include('Examined 2 calls in 2 of 2 changed files.');
  });
});
