import type { ChildProcess } from 'node:child_process';
import { warningsOfNode } from './node-warnings.ts';

export type Watched = {
  readonly child: ChildProcess;
  readonly name: string;
  /** The whole output, after the end. */
  readonly readLog: () => Promise<string>;
};

export type Watch = {
  hasEnded(): boolean;
  /** Whether a test has asked the process to end, or expects it to. */
  isEndExpected(): boolean;
  /** The test expects or expected the end of the process, whatever the process reports. */
  expectEnd(): void;
  /**
   * The test asks a running process to end. The process must not report trouble. Has no effect if the process has
   * already ended.
   */
  expectQuietEnd(): void;
};

type Expectation = 'life' | 'quiet end' | 'end';
type Entry = Watched & { expected: Expectation };

const watched = new Set<Entry>();

/** Log lines by which a service or its supervisor reports that something ended unexpectedly. */
const TROUBLE = /"msg":"(?:service failed|service died, starting it again)"|Unhandled|Uncaught/;

/** From now on the end of the process fails the running test, unless the test expects it by its end. */
export function watchProcess(options: Watched): Watch {
  const entry: Entry = { ...options, expected: 'life' };
  watched.add(entry);
  return {
    hasEnded: () => hasEnded(entry),
    isEndExpected: () => entry.expected !== 'life',
    expectEnd() {
      entry.expected = 'end';
    },
    expectQuietEnd() {
      if (entry.expected === 'life' && !hasEnded(entry)) entry.expected = 'quiet end';
    },
  };
}

/** The problems of processes that have ended since the last call. */
export async function drainWrongEnds(): Promise<Error[]> {
  const ended = [...watched].filter(hasEnded);
  for (const entry of ended) watched.delete(entry);
  return (await Promise.all(ended.map(findFault))).flat();
}

async function findFault({ name, child, expected, readLog }: Entry): Promise<Error[]> {
  const log = await readLog();
  const warnings = warningsOfNode(log);
  if (expected === 'end')
    return warnings.length === 0 ? [] : [new Error([`${name} warned`, ...warnings].join('\n'))];
  const trouble = [...log.split('\n').filter((line) => TROUBLE.test(line)), ...warnings];
  if (expected === 'quiet end' && trouble.length === 0) return [];
  const how = child.signalCode ?? `exit code ${child.exitCode ?? 'unknown'}`;
  const what = expected === 'life' ? 'ended by itself' : 'reported trouble and ended';
  return [new Error([`${name} ${what} (${how})`, ...trouble].join('\n'))];
}

function hasEnded({ child }: Entry): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
