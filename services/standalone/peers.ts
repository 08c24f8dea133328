import assert from 'node:assert/strict';
import type { Supervisor } from '#base/auth';
import { MERGED_PATH, UNMERGED_PATH } from '#base/http';
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
  /** Returns the text of the series of the others that are too many to be merged: this process only passes the bytes on. */
  readonly readUnmerged: () => Promise<readonly Buffer[]>;
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
      const read = othersOf(current).map(async ([name, url]) => {
        // One of our services wrote it.
        const metrics = await readPeer(
          url,
          MERGED_PATH,
          (answer) => answer.json() as Promise<MetricsOfProcess>,
        );
        return [name, metrics] as const;
      });
      return { [current.name]: own, ...Object.fromEntries(await Promise.all(read)) };
    },
    async readUnmerged() {
      const read = othersOf(current).map(([, url]) =>
        readPeer(url, UNMERGED_PATH, async (answer) => Buffer.from(await answer.arrayBuffer())),
      );
      return (await Promise.all(read)).filter((text) => text !== undefined);
    },
  };
}

function othersOf({ name: ownName, peers }: PeersMessage): [string, string | null][] {
  return Object.entries(peers).filter(([name]) => name !== ownName);
}

async function readPeer<T>(
  url: string | null,
  path: string,
  read: (answer: Response) => Promise<T>,
): Promise<T | undefined> {
  if (url === null) return undefined;
  try {
    const answer = await fetch(url + path, { signal: AbortSignal.timeout(DEADLINE_MS) });
    return answer.ok ? await read(answer) : undefined;
  } catch {
    return undefined;
  }
}
