import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { Tallies, Target } from './all-attacks.ts';

const PROGRAM = path.join(import.meta.dirname, 'attacker-process.ts');

/** Starts all attacks in a process of their own: what they cost must not delay the honest. `stop` ends them and gives their tallies. */
export function startAttacker(target: Target): { stop(): Promise<Tallies> } {
  const options = ['--conditions=source', '--import=tsx'];
  const child = spawn(process.execPath, [...options, PROGRAM, JSON.stringify(target)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const output = text(child.stdout);
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return JSON.parse(await output) as Tallies; // as the process wrote them
    },
  };
}
