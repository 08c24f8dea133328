import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import type { Command } from 'commander';
import { createLog, readConfig } from '#runtime';
import { exitCodeOf as exitCode } from '../../../services/cli/exit-code.ts';
import { createProgram } from '../../../services/cli/program.ts';
import { ENGINE_ADDRESSES } from '../../support/builders/engine-addresses.ts';
import { CLI_COMMAND } from '../../support/processes/cli.ts';

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
      expect(await exitCodeOf(args.split(' '))).to.equal(code);
    });

  it('is 2 if settings are missing', async () => {
    expect(await exitCodeOf(['retention'], {})).to.equal(2);
  });

  it('is the one of the process, which prints the reason once, and where the help is', () => {
    expect(run('reconcile', '--foo')).to.deep.equal({
      status: 2,
      stderr: "error: unknown option '--foo'\nSee flagmeter reconcile --help.\n",
    });
    expect(run('nonsense')).to.deep.equal({
      status: 2,
      stderr: "error: unknown command 'nonsense'\nSee flagmeter --help.\n",
    });
    expect(run('dead', 'nonsense').stderr).to.include('See flagmeter dead --help.');
    expect(run('load')).to.deep.equal({
      status: 2,
      stderr: 'flagmeter: FLAGMETER_TOKEN must hold the secret of a client or admin token\n',
    });
  });

  it('comes with a sentence if a file does not exist', () => {
    expect(run('import', 'missing.json')).to.deep.equal({
      status: 1,
      stderr: 'flagmeter: missing.json does not exist.\n',
    });
    expect(run('import', 'test').stderr).to.equal('flagmeter: A named file is a folder, not a file.\n');
    expect(run('import', 'package.json/x').stderr).to.match(/^flagmeter: package.json\/x is below a file/);
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

async function exitCodeOf(
  args: readonly string[],
  env: Readonly<Record<string, string>> = ENGINE_ADDRESSES,
): Promise<number> {
  const before = process.exitCode;
  const program = createProgram({ env, log: createLog('test', 'silent'), readConfig: () => readConfig(env) });
  silence(program);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return exitCode(error, process.exitCode);
  } finally {
    process.exitCode = before;
  }
  throw new Error('the command ran');
}

function silence(command: Command): void {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const child of command.commands) silence(child);
}
