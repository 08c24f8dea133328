import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { untilEndOfFile } from '../../left-behind.ts';

/** An SDK in a process of its own, which answers each line with a line of JSON. */
export type ChildSdk<Answer> = {
  ask(line: string): Promise<Answer>;
  /** Ends the process in order. */
  finish(): Promise<void>;
  dispose(): Promise<void>;
};

export function startChildSdk<Answer>(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildSdk<Answer> {
  const child = spawn(program, args, { env: { ...inheritedEnv(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  const printed: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  const failure = () => new Error(`${program} ended: ${printed.join('')}`);
  return untilEndOfFile({
    async ask(line: string) {
      child.stdin.write(`${line}\n`);
      const answer = await lines.next();
      if (answer.done === true) throw failure();
      return JSON.parse(answer.value) as Answer; // what the program of the caller prints
    },
    async finish() {
      child.stdin.end();
      const [code] = (await exited) as [number | null]; // of the event exit
      if (code !== 0) throw failure();
    },
    async dispose() {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    },
  });
}
