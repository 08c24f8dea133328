import { expect } from 'chai';
import type { Command } from 'commander';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { loadWholeProgram } from '../../support/stack/processes/whole-program.ts';
import { sharedWorld } from '../../support/world.ts';

/** Beside each `list`, the commands whose whole output is a list. */
const OTHERS = [['retention'], ['top'], ['settings'], ['reconcile'], ['doctor']];

describe('--json', () => {
  const world = sharedWorld();

  before(async () => {
    await world.db.query(`insert into projects (id, name) values ('shop', 'Shop') on conflict do nothing`);
  });

  it('makes every list one document', async () => {
    for (const args of [...listsOf(await loadWholeProgram()), ...OTHERS]) {
      const { output } = await callCli(world, ...args, '--json');
      expect(() => JSON.parse(output) as unknown, args.join(' ')).not.to.throw();
    }
  });

  it('shows tokens with what they may do, times as text, and no secret', async () => {
    const edge = 'token create --name edge --type client --environment production --expires-in 90d';
    const created = await callCli(world, ...edge.split(' '));
    const [, secret = '', id] = /^(\S+)\n\(id ([0-9a-f-]+)/.exec(created.output) ?? [];
    const { output } = await callCli(world, 'token', 'list', '--json');
    const token = (JSON.parse(output) as Record<string, unknown>[]).find((one) => one['id'] === id);
    expect(token).to.include({ name: 'edge', type: 'client', environment: 'production' });
    expect(token?.['expiresAt']).to.match(/^\d{4}-\d\d-\d\dT/);
    expect(secret).to.have.length.greaterThan(20);
    expect(output).not.to.include(secret.split('.')[1]).and.not.match(/hash/i);
  });

  it('is refused together with a change', async () => {
    const problem: unknown = await callCli(world, 'retention', '--json', '--yes').catch(
      (error: unknown) => error,
    );
    expect(problem).to.include({ code: 'commander.conflictingOption' });
  });
});

/** `list` of each command, in a project if it needs one. */
function listsOf(program: Command): string[][] {
  return program.commands.flatMap((command) =>
    command.commands
      .filter((child) => child.name() === 'list')
      .map((child) => [command.name(), 'list', ...child.registeredArguments.map(() => 'shop')]),
  );
}
