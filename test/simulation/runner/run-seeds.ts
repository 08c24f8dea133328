import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Failure, Run, Slice, Told } from './protocol.ts';

export type SeedOptions = Omit<Slice, 'stride'> & {
  /** The folder of the sources; by default these. */
  readonly root?: string;
  readonly processes?: number;
  readonly onRun?: (run: Run) => void;
  readonly onFailure?: (failure: Failure) => void;
};

export type Summary = {
  readonly runs: number;
  readonly steps: number;
  readonly failures: readonly Failure[];
};

/** A larger one makes a run faster by a fifth, because what a run makes is garbage soon. */
const YOUNG_MIB = 64;

/** Runs seeds in several processes. */
export async function runSeeds({
  root = '.',
  processes = availableParallelism(),
  onRun,
  onFailure,
  ...slice
}: SeedOptions): Promise<Summary> {
  let runs = 0;
  let steps = 0;
  const failures: Failure[] = [];
  const children: ChildProcess[] = [];
  const listen = (told: Told): void => {
    if (told.kind === 'run') {
      runs += 1;
      steps += told.steps;
      onRun?.(told);
      return;
    }
    failures.push(told);
    onFailure?.(told);
    if (slice.stopsAtFirst) for (const child of children) child.kill();
  };
  const count = Math.min(processes, Math.max(1, slice.end - slice.first));
  const ended = Array.from({ length: count }, async (_, index) => {
    const child = fork(path.join('test/simulation/runner/process.ts'), {
      cwd: root,
      execArgv: ['--conditions=source', '--import=tsx', `--max-semi-space-size=${YOUNG_MIB}`],
    });
    children.push(child);
    child.on('message', listen);
    child.send({ ...slice, first: slice.first + index, stride: count } satisfies Slice);
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (code !== 0 && signal !== 'SIGTERM') throw new Error(`a simulation ended with ${code ?? signal}`);
  });
  await Promise.all(ended);
  return { runs, steps, failures };
}
