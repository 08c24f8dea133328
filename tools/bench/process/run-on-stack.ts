import path from 'node:path';
import { ROOT, compile } from '../../run/compile.ts';
import { runAtTerminal } from '#tooling/stack';
import { type AddressesWithRedis, cleanStack, downStack, upWithRedis } from '../../stack/index.ts';

/** An empty stack of a benchmark. */
export type BenchStack = {
  readonly addresses: AddressesWithRedis;
  readonly directory: string;
  readonly logs: string;
  readonly interrupted: AbortSignal;
};

/**
 * Runs a benchmark, as the program of a terminal, on an empty stack in a folder of the repository, with the compiled services. At the end it
 * stops the stack and, if all went well, deletes its data and logs, unless somebody should read them.
 */
export async function runOnStack(
  folder: string,
  work: (stack: BenchStack) => Promise<void>,
  { keepsLogs = false }: { readonly keepsLogs?: boolean } = {},
): Promise<void> {
  const directory = path.resolve(ROOT, folder);
  const logs = path.join(directory, 'logs');
  await runAtTerminal(logs, async (interrupted) => {
    try {
      await compile();
      await cleanStack(directory);
      const addresses = await upWithRedis({ directory, freePorts: true, report: () => undefined });
      await work({ addresses, directory, logs, interrupted });
    } catch (error) {
      if (!interrupted.aborted) throw error;
    } finally {
      await downStack(directory);
    }
    if (!keepsLogs) await cleanStack(directory);
    return interrupted.aborted ? 130 : 0;
  });
}
