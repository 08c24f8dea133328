import type { MetricsOfProcess } from '#runtime';

/** The supervisor says where the other processes listen: at each of their starts at another port, null before the first. */
export type PeersMessage = { readonly peers: Readonly<Record<string, string | null>> };

/** Metrics of the other processes by their names; none where no supervisor has named any. */
export type ReadPeers = () => Promise<Readonly<Record<string, MetricsOfProcess>>>;

/** A peer that does not answer by then costs only its own series. */
const DEADLINE_MS = 2000;

/** Reads the metrics of the processes that the supervisor names to this one. */
export function createPeers(supervisor: NodeJS.Process): ReadPeers {
  let peers: PeersMessage['peers'] = {};
  supervisor.on('message', (message: PeersMessage) => {
    ({ peers } = message);
  });
  return async () => {
    const read = Object.entries(peers).map(async ([name, url]) => [name, await readMetrics(url)] as const);
    return Object.fromEntries(await Promise.all(read));
  };
}

async function readMetrics(url: string | null): Promise<MetricsOfProcess> {
  if (url === null) return undefined;
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const answer = await fetch(`${url}/internal-backstage/metrics.json`, { signal });
    return answer.ok ? ((await answer.json()) as MetricsOfProcess) : undefined; // a service of ours wrote it
  } catch {
    return undefined;
  }
}
