import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import type { Tallies, Target } from './all-attacks.ts';
import { FROM_SOURCES } from '../../../tools/run/from-sources.ts';

const PROGRAM = path.join(import.meta.dirname, 'attacker-process.ts');

/**
 * Runs all attacks in a separate process, so that their CPU time does not delay the honest relay. `stop` ends them
 * and returns their tallies.
 */
export function startAttacker(target: Target): { stop(): Promise<Tallies> } {
  const child = spawn(process.execPath, [...FROM_SOURCES, PROGRAM, JSON.stringify(target)], {
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
