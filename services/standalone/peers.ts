import assert from 'node:assert/strict';
import type { Supervisor } from '#base/auth';
import type { MetricsOfProcess } from '#base/runtime';

/**
 * The supervisor sends the addresses of all processes, because each start uses another port: null before the first start.
 * `name` is that of the process that gets the message.
 */
export type PeersMessage = {
  readonly name: string;
  readonly peers: Readonly<Record<string, string | null>>;
};

/** Asks a process to stop, because another one has taken its place. */
export type LeaveMessage = { readonly isReplaced: true };

export type Peers = {
  readonly supervisor: Supervisor;
  /** Returns the given metrics of this process and those of the others, by the name of the process. */
  readonly readMetrics: (own: MetricsOfProcess) => Promise<Readonly<Record<string, MetricsOfProcess>>>;
  readonly isReplaced: () => boolean;
};

/** A peer that does not answer within this time loses only its own series. */
const DEADLINE_MS = 2000;

/** Reads the metrics of the processes whose addresses the supervisor has sent. */
export function createPeers(supervised: NodeJS.Process): Peers {
  let current: PeersMessage = { name: 'standalone', peers: {} };
  let isReplaced = false;
  const [, , machineId] = supervised.argv;
  assert(machineId !== undefined, 'the supervisor passes its machine id on');
  supervised.on('message', (message: PeersMessage | LeaveMessage | object) => {
    if ('peers' in message) current = message;
    if (!('isReplaced' in message)) return;
    isReplaced = true;
    supervised.kill(supervised.pid, 'SIGTERM');
  });
  return {
    supervisor: { machineId, channel: supervised },
    isReplaced: () => isReplaced,
    async readMetrics(own) {
      const { name: ownName, peers } = current;
      const others = Object.entries(peers).filter(([name]) => name !== ownName);
      const read = others.map(async ([name, url]) => [name, await readPeer(url)] as const);
      return { [ownName]: own, ...Object.fromEntries(await Promise.all(read)) };
    },
  };
}

async function readPeer(url: string | null): Promise<MetricsOfProcess> {
  if (url === null) return undefined;
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const answer = await fetch(`${url}/internal-backstage/metrics.json`, { signal });
    return answer.ok ? ((await answer.json()) as MetricsOfProcess) : undefined; // one of our services wrote it
  } catch {
    return undefined;
  }
}
