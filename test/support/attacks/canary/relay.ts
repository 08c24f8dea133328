import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { aFreshMetric, bodyOf } from '../../requests/post.ts';
import { readCpuNs } from '../../stack/measures/cpu-of-thread.ts';
import { readMemory } from '../../stack/measures/memory.ts';
import { push } from '../../stories/load.ts';

/** The process that the thread of the relay posts to. */
export type Relayed = { readonly url: string; readonly pid: number };

/** The answer to one small batch, in a message of the thread. */
export type Answered = {
  /** Its status, or that there was none. */
  readonly answer: string;
  readonly waitMs: number;
  /** The CPU that the answering thread of the process took during the wait. */
  readonly workMs: number;
  /** The resident memory of the process, unless it has ended. */
  readonly memoryBytes: number | undefined;
};

const PAUSE_MS = 20;
const NS_PER_MS = 1e6;
/** What an honest sender waits for an answer before it gives up. */
const PATIENCE_MS = 30_000;

/**
 * Posts small batches until it gets a message. In a thread of its own, because the test beside it attacks, and an
 * answer that it reads late would look as if the process had worked on.
 */
if (parentPort !== null) {
  const port = parentPort;
  const told = { toStop: false };
  port.once('message', () => {
    told.toStop = true;
  });
  while (!told.toStop) {
    port.postMessage(await postSmallBatch(workerData as Relayed)); // as canary.ts gives it
    await sleep(PAUSE_MS);
  }
}

/** Sends one row as a relay does. Never rejects. */
export async function postSmallBatch({ url, pid }: Relayed): Promise<Answered> {
  const body = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });
  const cpuNs = await readCpuNs({ pid });
  const begun = performance.now();
  const answer = await push({ url, body, timeoutMs: PATIENCE_MS });
  const waitMs = performance.now() - begun;
  return {
    answer: typeof answer === 'string' ? answer : String(answer.status),
    waitMs,
    workMs: ((await readCpuNs({ pid })) - cpuNs) / NS_PER_MS,
    memoryBytes: await readMemory({ pid }).catch(() => undefined),
  };
}
