import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { Command } from 'commander';
import { createLog, readConfig } from '#base/runtime';
import { exitCodeOf, isOfCommander } from '../../../../services/cli/exit-code.ts';
import { messageOf } from '../../../../services/cli/message.ts';
import { createProgram } from '../../../../services/cli/program.ts';
import { ENGINE_ADDRESSES } from '../../../support/builders/engine-addresses.ts';
import { CLI_COMMAND } from '../../../support/stack/processes/cli.ts';

describe('the exit code of flagmeter', () => {
  const codes = [
    [2, 'reconcile --foo'],
    [2, 'reconcile extra'],
    [2, 'compare-unleash --foo'],
    [2, 'load --rows many'],
    [2, 'dead show'],
    [2, 'nonsense'],
    [2, 'dead'],
    [2, 'dead replay'],
    [2, 'dead list --limit none'],
    [2, 'import-unleash'],
    [2, 'import-unleash --before 2026-11-21T10:30:00Z'],
    [2, 'compare-unleash'],
    [2, 'reconcile --since 2999-01-01'],
    [2, 'replay --from 2026-11-22 --to 2026-11-21'],
    [2, 'replay --from yesterday --to 2026-11-21'],
    [2, 'export-usage folder --from 2026-11-22 --to 2026-11-21'],
    [2, 'export-usage --from 2026-11-20 --to 2026-11-21'],
    [2, 'load'],
    [2, 'load --url nonsense'],
    [2, 'token create --name edge --type client'],
    [2, 'token revoke edge'],
    [2, 'gate'],
    [2, 'gate --in changed.txt'],
    [2, 'gate --in changed.txt --fail-on always_on'],
    [1, 'import missing.json'],
    [0, '--version'],
    [0, '--help'],
    [0, 'help reconcile'],
    [0, 'dead show --help'],
  ] as const;
  for (const [code, args] of codes)
    it(`is ${code} for "flagmeter ${args}"`, async () => {
      expect((await endingOf(args.split(' '))).code).to.equal(code);
    });

  it('is 2 if settings are missing', async () => {
    expect((await endingOf(['retention'], {})).code).to.equal(2);
  });

  it('is 2 for a day that Unleash has deleted', async () => {
    const unleash = { UNLEASH_URL: 'http://127.0.0.1:1', UNLEASH_ADMIN_TOKEN: '*:*.a-secret-of-unleash' };
    const args = ['compare-unleash', '--day', '2020-01-01'];
    const { code, reason } = await endingOf(args, { ...ENGINE_ADDRESSES, ...unleash });
    expect(code).to.equal(2);
    expect(reason).to.include('48 hours');
  });

  it('is the one of the process, which prints the reason once, and where the help is', async () => {
    expect(run('reconcile', '--foo')).to.deep.equal({
      status: 2,
      stderr: "error: unknown option '--foo'\nSee flagmeter reconcile --help.\n",
    });
    expect(run('load')).to.deep.equal({
      status: 2,
      stderr: 'flagmeter: FLAGMETER_TOKEN must hold the secret of a client or admin token\n',
    });
    expect((await endingOf(['nonsense'])).reason).to.equal(
      "error: unknown command 'nonsense'\nSee flagmeter --help.\n",
    );
    expect((await endingOf(['dead', 'nonsense'])).reason).to.include('See flagmeter dead --help.');
  });

  it('comes with a sentence if a file does not exist', async () => {
    const reasonOf = async (file: string) => (await endingOf(['import', file])).reason;
    expect(await reasonOf('missing.json')).to.equal('missing.json does not exist.');
    expect(await reasonOf('test')).to.equal('A named file is a folder, not a file.');
    expect(await reasonOf('package.json/x')).to.match(/^package.json\/x is below a file/);
  });
});

function run(...args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const { PATH } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [...CLI_COMMAND, ...args], {
    env: { PATH, ...ENGINE_ADDRESSES },
    encoding: 'utf8',
  });
  return { status, stderr };
}

type Ending = { readonly code: number; readonly reason: string };

async function endingOf(
  args: readonly string[],
  env: Readonly<Record<string, string>> = ENGINE_ADDRESSES,
): Promise<Ending> {
  const before = process.exitCode;
  const environment = { env, log: createLog('test', 'silent'), readConfig: () => readConfig(env) };
  const program = await createProgram(() => Promise.resolve(environment), args);
  let printed = '';
  collect(program, (text) => {
    printed += text;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const reason = isOfCommander(error) ? printed : messageOf(error);
    return { code: exitCodeOf(error, process.exitCode), reason };
  } finally {
    process.exitCode = before;
  }
  throw new Error('the command ran');
}

function collect(command: Command, writeErr: (text: string) => void): void {
  command.configureOutput({ writeOut: () => undefined, writeErr });
  for (const child of command.commands) collect(child, writeErr);
}
