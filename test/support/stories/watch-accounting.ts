import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { CLI_COMMAND, cliEnv } from '../stack/processes/cli.ts';
import { watchProcess } from '../stack/processes/watched-process.ts';
import type { World } from '../world.ts';

type Line = {
  readonly isBalanced?: boolean;
  readonly differences?: readonly unknown[];
  /** The reason why the accounting cannot be read. */
  readonly error?: string;
};

type Listener = {
  onAccounting(accounting: Line & { readonly isBalanced: boolean }): void;
  /** Unexpected output. */
  onComplaint(complaint: string): void;
};

/** Runs `flagmeter reconcile --watch` in a separate process until it is stopped. */
export function watchAccounting(world: World, listener: Listener): { stop(): Promise<void> } {
  const child = spawn(process.execPath, [...CLI_COMMAND, 'reconcile', '--watch', '--json'], {
    env: cliEnv(world),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complained = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.toString();
    listener.onComplaint(chunk.toString());
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as Line; // Any other error fails the test.
    const { isBalanced } = line;
    if (isBalanced !== undefined) listener.onAccounting({ ...line, isBalanced });
    else if (line.error === undefined) listener.onComplaint(text);
  });
  const closed = once(child, 'close');
  const name = 'flagmeter reconcile --watch';
  const watch = watchProcess({ child, name, readLog: () => Promise.resolve(complained) });
  return {
    async stop() {
      watch.expectQuietEnd();
      child.kill('SIGINT');
      await closed;
    },
  };
}
