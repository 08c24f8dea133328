import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, FlagmeterError, type Log, type Service } from '#runtime';
import { reachEngines, setUp } from '#setup';
import type { PeersMessage } from './peers.ts';
import { supervise } from './supervisor.ts';

/**
 * Runs all processes for one machine. It sets up the engines and starts the standalone process (ingest and admin), the worker
 * and, if needed, the process that talks to Unleash. It restarts a process that dies.
 */
export async function startProcesses(config: Config, env: NodeJS.ProcessEnv, log: Log): Promise<Service> {
  await reachEngines(config, ['Postgres', 'ClickHouse', 'Kafka'], log);
  await setUp(config, log);
  const peers = new Map<string, string | null>();
  const introducePeers = (): void => {
    const message: PeersMessage = { peers: Object.fromEntries(peers) };
    standalone.send(message);
  };
  const standalone = supervise({ service: 'standalone', env, log, onReady: introducePeers });
  const others = servicesBeside(config).map((service) => {
    peers.set(service, null);
    return supervise({
      service,
      env: { ...env, PORT: '0', HTTP_HOST: '127.0.0.1', OPS_PORT: '' },
      log,
      onReady(url) {
        peers.set(service, url);
        introducePeers();
      },
    });
  });
  const stop = async (): Promise<void> => {
    for (const other of others) other.expectEnd();
    // The others stop last, because they handle what the standalone process still accepts.
    await standalone.stop();
    await Promise.all(others.map((other) => other.stop()));
  };
  try {
    const [{ url, adminUrl }] = await Promise.all([standalone.ready, ...others.map((other) => other.ready)]);
    await untilAccepting(url);
    return { url, adminUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function servicesBeside({ unleash }: Config): ('worker' | 'unleash')[] {
  const hasWork = unleash?.mirror !== undefined || unleash?.adminToken !== undefined;
  return hasWork ? ['worker', 'unleash'] : ['worker'];
}

const ACCEPTING_DEADLINE_MS = 30_000;
const LOOK_DEADLINE_MS = 5000;
const PAUSE_MS = 50;

/** Waits until the process is ready: a process that already listens rejects batches until it has reached Kafka. */
async function untilAccepting(url: string): Promise<void> {
  const deadline = Date.now() + ACCEPTING_DEADLINE_MS;
  for (;;) {
    const answer = await lookAt(`${url}/ready`);
    if (answer === undefined) return;
    if (Date.now() > deadline)
      throw new FlagmeterError('service-start', `The standalone process is not ready: ${answer}`);
    await sleep(PAUSE_MS);
  }
}

/** The reason why the process is not ready; undefined if it is ready. */
async function lookAt(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOK_DEADLINE_MS) });
    const text = await response.text();
    return response.ok ? undefined : text;
  } catch (error) {
    return String(error);
  }
}
