import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { type Command, CommanderError } from 'commander';
import { createLog } from '#runtime';
import { createProgram } from '../../../services/cli/program.ts';
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
    [0, '--version'],
    [0, '--help'],
    [0, 'help reconcile'],
    [0, 'dead show --help'],
  ] as const;
  for (const [code, args] of codes)
    it(`is ${code} for "flagmeter ${args}"`, async () => {
      expect(await exitCodeOf(args.split(' '))).to.equal(code);
    });

  it('is the one of the process, which prints the reason once', () => {
    const { status, stderr } = spawnSync(process.execPath, [...CLI_COMMAND, 'reconcile', '--foo']);
    expect(status).to.equal(2);
    expect(stderr.toString()).to.equal("error: unknown option '--foo'\n");
  });
});

async function exitCodeOf(args: readonly string[]): Promise<number> {
  const readConfig = (): never => {
    throw new Error('the command ran');
  };
  const program = createProgram({ env: {}, log: createLog('test', 'silent'), readConfig });
  silence(program);
  const error: unknown = await program.parseAsync(args, { from: 'user' }).catch((reason: unknown) => reason);
  if (error instanceof CommanderError) return error.exitCode;
  throw new Error('no CommanderError', { cause: error });
}

function silence(command: Command): void {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const child of command.commands) silence(child);
}
