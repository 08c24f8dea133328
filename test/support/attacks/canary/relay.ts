import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { statusOf } from '../../requests/ask.ts';
import { readCpuNs } from '../../stack/measures/cpu-of-thread.ts';
import { readMemory } from '../../stack/measures/memory.ts';

/** The process that the thread of the relay posts to, and what it posts. */
export type Relayed = {
  readonly url: string;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

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
 * answer that it reads late would look as if the process had worked on. It gets the batch, because the modules that make one take a thread
 * half a second of CPU to load.
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

/** Sends the batch as a relay does. Never rejects. */
export async function postSmallBatch({ url, pid, headers, body }: Relayed): Promise<Answered> {
  const cpuNs = await readCpuNs({ pid });
  const begun = performance.now();
  const sent = { headers, body, signal: AbortSignal.timeout(PATIENCE_MS) };
  const answer = await statusOf(`${url}/edge/metrics`, sent).then(String, () => 'none');
  const waitMs = performance.now() - begun;
  return {
    answer,
    waitMs,
    workMs: ((await readCpuNs({ pid })) - cpuNs) / NS_PER_MS,
    memoryBytes: await readMemory({ pid }).catch(() => undefined),
  };
}
