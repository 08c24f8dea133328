import type { MetricsOfProcess } from '#runtime';

/** The supervisor sends the addresses of the other processes, because each start uses another port. Null before the first start. */
export type PeersMessage = { readonly peers: Readonly<Record<string, string | null>> };

/** Reads the metrics of the other processes, by the name of the process; empty without a supervisor. */
export type ReadPeers = () => Promise<Readonly<Record<string, MetricsOfProcess>>>;

/** A peer that does not answer within this time loses only its own series. */
const DEADLINE_MS = 2000;

/** Reads the metrics of the processes whose addresses the supervisor has sent. */
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
    return answer.ok ? ((await answer.json()) as MetricsOfProcess) : undefined; // one of our services wrote it
  } catch {
    return undefined;
  }
}
