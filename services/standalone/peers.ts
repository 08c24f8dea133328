import type { MetricsOfProcess } from '#runtime';

/** The supervisor says where the worker listens: at each of its starts at another port, undefined before the first. */
export type WorkerMessage = { readonly workerUrl?: string | undefined };

/** Metrics of the other processes by their names; none where no supervisor has named any. */
export type ReadPeers = () => Promise<Readonly<Record<string, MetricsOfProcess>>>;

/** A peer that does not answer by then costs only its own series. */
const DEADLINE_MS = 2000;

/** Reads the metrics of the worker that the supervisor names to this process. */
export function createPeers(supervisor: NodeJS.Process): ReadPeers {
  let message: WorkerMessage | undefined;
  supervisor.on('message', (received: WorkerMessage) => {
    message = received;
  });
  return async () => (message === undefined ? {} : { worker: await readMetrics(message.workerUrl) });
}

async function readMetrics(url: string | undefined): Promise<MetricsOfProcess> {
  if (url === undefined) return undefined;
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const answer = await fetch(`${url}/internal-backstage/metrics.json`, { signal });
    return answer.ok ? ((await answer.json()) as MetricsOfProcess) : undefined; // a service of ours wrote it
  } catch {
    return undefined;
  }
}
