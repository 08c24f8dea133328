import { expect } from 'chai';
import type { Command } from 'commander';
import { loadWholeProgram } from '../../../support/stack/processes/whole-program.ts';

/** They do something, or print one thing or a document of its own kind. Each other command lists, and must be readable for programs. */
const NOT_LISTING = new Set([
  'try',
  'migrate',
  'start',
  'dead show',
  'dead replay',
  'dead drop',
  'replay',
  'backup',
  'restore',
  'token create',
  'token rotate',
  'token revoke',
  'session revoke',
  'access grant',
  'access revoke',
  'audit verify',
  'mcp',
  'export',
  'export-usage',
  'import',
  'import-unleash',
  'sample',
  'completion',
]);

describe('the lists of commands', () => {
  it('can all be printed as JSON', async () => {
    const commands = leavesOf(await loadWholeProgram());
    const without = commands.filter(({ command }) => !hasJson(command)).map(({ name }) => name);
    expect(without).to.have.members([...NOT_LISTING]);
  });
});

function leavesOf(command: Command, path: readonly string[] = []): { name: string; command: Command }[] {
  if (command.commands.length === 0) return [{ name: path.join(' '), command }];
  return command.commands.flatMap((child) => leavesOf(child, [...path, child.name()]));
}

function hasJson({ options }: Command): boolean {
  return options.some(({ long, argChoices = [] }) => long === '--json' || argChoices.includes('json'));
}
