import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Defect } from '../defects/defect.ts';
import { withBundle } from './bundle.ts';
import type { Failure, Run, Slice, Told } from './protocol.ts';

export type SeedOptions = Omit<Slice, 'stride'> & {
  /** A change of the code; by default none. */
  readonly defect?: Defect | undefined;
  readonly processes?: number;
  /** Ends a process whose world has no end. By default several times what the worlds need. */
  readonly maxCpuSeconds?: number;
  readonly onRun?: (run: Run) => void;
  readonly onFailure?: (failure: Failure) => void;
};

export type Summary = {
  readonly runs: number;
  readonly steps: number;
  readonly failures: readonly Failure[];
};

const PROGRAM = 'test/simulation/runner/process.ts';
/** What a world makes is garbage soon, so a large young generation saves a fifth of the CPU. Nobody reads the stacks of simulated errors. */
const FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--stack-trace-limit=0'];
/** A process of few worlds ends before optimised code pays. So its code is first compiled without optimisation. */
const FEW_WORLDS = 2000;
const FLAGS_FOR_FEW = [...FLAGS, '--always-sparkplug'];

/** Runs seeds in several processes. */
export function runSeeds({ defect, ...options }: SeedOptions): Promise<Summary> {
  return withBundle({ entry: PROGRAM, defect }, (program) => runProgram(program, options));
}

async function runProgram(
  program: string,
  {
    processes = availableParallelism(),
    maxCpuSeconds,
    onRun,
    onFailure,
    ...slice
  }: Omit<SeedOptions, 'defect'>,
): Promise<Summary> {
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
    const own: Slice = { ...slice, first: slice.first + index, stride: count };
    const limit = maxCpuSeconds ?? cpuSecondsFor(own);
    const child = forkWithLimit(program, own, limit);
    children.push(child);
    child.on('message', listen);
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    if (signal === 'SIGXCPU') throw new Error(`a simulation took more than ${limit} s of CPU`);
    if (code !== 0 && signal !== 'SIGTERM') throw new Error(`a simulation ended with ${code ?? signal}`);
  });
  await Promise.all(ended);
  return { runs, steps, failures };
}

/** A step takes 8 to 12 us, and more until the code is compiled. A failure is shrunk, which takes dozens of worlds. */
function cpuSecondsFor({ first, end, stride, steps }: Slice): number {
  return Math.ceil(60 + ((end - first) / stride) * steps * 0.0001);
}

/**
 * The limit is CPU, because the processes may give way to others for a long time. A soft limit ends a process with SIGXCPU. Nobody would
 * read the compiled code of a bundle again.
 */
function forkWithLimit(program: string, slice: Slice, cpuSeconds: number): ChildProcess {
  const start = `unset NODE_COMPILE_CACHE; ulimit -S -c 0; ulimit -S -t ${cpuSeconds}; exec "$0" "$@"`;
  const worlds = (slice.end - slice.first) / slice.stride;
  const execArgv = ['-c', start, process.execPath, ...(worlds < FEW_WORLDS ? FLAGS_FOR_FEW : FLAGS)];
  return fork(program, [JSON.stringify(slice)], { execPath: '/bin/sh', execArgv });
}
