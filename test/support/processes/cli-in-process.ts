import { createProgram } from '../../../services/cli/program.ts';
import type { World } from '../world.ts';

export type CliOutcome = { readonly output: string; readonly exitCode: number };

/** Runs `flagmeter` with these arguments in this process; rejects if the program fails. */
export async function callCli(world: World, ...args: readonly string[]): Promise<CliOutcome> {
  const { env, log, config } = world;
  const lines: string[] = [];
  const { log: print, table } = console;
  const exitCode = process.exitCode;
  Object.assign(console, {
    log: (line: unknown) => lines.push(String(line)),
    table: (rows: unknown) => lines.push(JSON.stringify(rows)),
  });
  try {
    const program = createProgram({ env, log, readConfig: () => config });
    await program.parseAsync(['node', 'flagmeter', ...args]);
    return { output: lines.join('\n'), exitCode: Number(process.exitCode ?? 0) };
  } finally {
    Object.assign(console, { log: print, table });
    process.exitCode = exitCode;
  }
}
