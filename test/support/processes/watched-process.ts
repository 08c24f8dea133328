import type { ChildProcess } from 'node:child_process';

export type Watched = {
  readonly child: ChildProcess;
  readonly name: string;
  /** Its whole output, once it has ended. */
  readonly readLog: () => Promise<string>;
};

export type Watch = {
  hasEnded(): boolean;
  /** Whether a test has asked it to end, or wants it to. */
  isEndExpected(): boolean;
  /** The test wants the process to end, or wanted it: whatever it says of that. */
  expectEnd(): void;
  /** The test asks a living process to end, which is no reason to report trouble. One that has ended already was not asked. */
  expectQuietEnd(): void;
};

type Expectation = 'life' | 'quiet end' | 'end';
type Entry = Watched & { expected: Expectation };

const watched = new Set<Entry>();

/** What a service or its supervisor reports of something that should not have ended. */
const TROUBLE = /"msg":"(?:service failed|service died, starting it again)"|Unhandled|Uncaught/;

/** From now on the end of a process fails the running test, unless the test has expected it when it is over. */
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

/** What is wrong with the processes that have ended since the last call. */
export async function takeWrongEnds(): Promise<Error[]> {
  const ended = [...watched].filter(hasEnded);
  for (const entry of ended) watched.delete(entry);
  return (await Promise.all(ended.map(findFault))).flat();
}

async function findFault({ name, child, expected, readLog }: Entry): Promise<Error[]> {
  if (expected === 'end') return [];
  const trouble = (await readLog()).split('\n').filter((line) => TROUBLE.test(line));
  if (expected === 'quiet end' && trouble.length === 0) return [];
  const how = child.signalCode ?? `exit code ${child.exitCode ?? 'unknown'}`;
  const what = expected === 'life' ? 'ended by itself' : 'reported trouble and ended';
  return [new Error([`${name} ${what} (${how})`, ...trouble].join('\n'))];
}

function hasEnded({ child }: Entry): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
