import { FlagmeterError } from '#base/runtime';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { createProgram } from '../../../../services/cli/program.ts';
import type { World } from '../../world.ts';

export type CliOutcome = { readonly output: string; readonly exitCode: number };

/** Runs `flagmeter` with these arguments in this process; rejects if the program fails. */
export async function callCli(world: World, ...args: readonly string[]): Promise<CliOutcome> {
  const { env, log, config } = world;
  const lines: string[] = [];
  const { log: print } = console;
  const exitCode = process.exitCode;
  Object.assign(console, { log: (line: unknown) => lines.push(String(line)) });
  try {
    const inherited = { ...inheritedEnv(), ...env };
    const environment = { env: inherited, log, readConfig: () => config };
    const program = await createProgram(() => Promise.resolve(environment), args);
    await program.parseAsync(['node', 'flagmeter', ...args]);
    return { output: lines.join('\n'), exitCode: Number(process.exitCode ?? 0) };
  } catch (error) {
    throw withOurClass(error);
  } finally {
    Object.assign(console, { log: print });
    process.exitCode = exitCode;
  }
}

/** Under tsx, what a command imports when it is called is a second copy of the modules, with classes of its own. */
function withOurClass(error: unknown): unknown {
  for (let link: unknown = error; link instanceof Object; link = Object.getPrototypeOf(link))
    if (link.constructor.name === FlagmeterError.name)
      return Object.setPrototypeOf(error, FlagmeterError.prototype);
  return error;
}

/** The rows of a table that a command printed, by the titles in its first line, which begin where their columns do. */
export function rowsOf(table: string): Record<string, string>[] {
  const [header = '', ...lines] = table.split('\n');
  const titles = [...header.matchAll(/\S+(?: \S+)*/g)];
  return lines.map((line) =>
    Object.fromEntries(
      titles.map(({ 0: title, index }, column) => [
        title,
        line.slice(index, titles[column + 1]?.index).trim(),
      ]),
    ),
  );
}
