import { Command } from 'commander';
import { readVersion } from '#base/version';
import { COMMANDS } from './catalogue.ts';
import type { Environment } from './environment.ts';

/** Opens what commands need, once one of them is called. */
export type OpenEnvironment = () => Promise<Omit<Environment, 'loadProgram'>>;

/**
 * The program for these arguments. Commands that the arguments do not name have only a name and a description, for the help:
 * most modules of commands import the clients of engines, which takes a second.
 */
export async function createProgram(open: OpenEnvironment, args: readonly string[]): Promise<Command> {
  const program = new Command('flagmeter')
    .description('Usage metrics of feature flags: durable, exact, accounted for')
    .version(readVersion());
  for (const [name, { description, load }] of Object.entries(COMMANDS)) {
    const command = args.includes(name) ? (await load())(await environmentOf(open)) : new Command();
    program.addCommand(command.name(name).description(description));
  }
  pointToHelp(program, 'flagmeter');
  return program;
}

async function environmentOf(open: OpenEnvironment): Promise<Environment> {
  return { ...(await open()), loadProgram: () => createProgram(open, Object.keys(COMMANDS)) };
}

/** After wrong usage. Commands also throw instead of ending the process. Added commands inherit neither. */
function pointToHelp(command: Command, path: string): void {
  command.exitOverride().showHelpAfterError(`See ${path} --help.`);
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`);
}
