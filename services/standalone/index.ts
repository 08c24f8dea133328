import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, FlagmeterError, type Log, type Service } from '#runtime';
import { reachEngines, setUp } from '#setup';
import type { WorkerMessage } from './peers.ts';
import { supervise } from './supervisor.ts';

/**
 * Everything that one machine needs: sets the engines up, then runs the front (ingest and admin behind one port) and
 * the worker, each in a process of its own, and starts again what dies.
 */
export async function startStandalone(config: Config, env: NodeJS.ProcessEnv, log: Log): Promise<Service> {
  await reachEngines(config, ['Postgres', 'ClickHouse', 'Kafka'], log);
  await setUp(config, log);
  let workerUrl: string | undefined;
  const introduceWorker = (): void => {
    const message: WorkerMessage = { workerUrl };
    front.send(message);
  };
  const front = supervise({ service: 'standalone', env, log, onReady: introduceWorker });
  const worker = supervise({
    service: 'worker',
    env: { ...env, PORT: '0', HTTP_HOST: '127.0.0.1', OPS_PORT: '' },
    log,
    onReady(url) {
      workerUrl = url;
      introduceWorker();
    },
  });
  const stop = async (): Promise<void> => {
    worker.expectEnd();
    // The worker last: it counts what the front still takes.
    await front.stop();
    await worker.stop();
  };
  try {
    const [url] = await Promise.all([front.ready, worker.ready]);
    await untilTaking(url);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const TAKING_DEADLINE_MS = 30_000;
const LOOK_DEADLINE_MS = 5000;
const PAUSE_MS = 50;

/** A front that listens may still be on its way to Kafka, and would refuse what it is sent. */
async function untilTaking(url: string): Promise<void> {
  const deadline = Date.now() + TAKING_DEADLINE_MS;
  for (;;) {
    const answer = await lookAt(`${url}/ready`);
    if (answer === undefined) return;
    if (Date.now() > deadline) throw new FlagmeterError('service-start', `The front is not ready: ${answer}`);
    await sleep(PAUSE_MS);
  }
}

/** Why it is not ready; undefined if it is. */
async function lookAt(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOK_DEADLINE_MS) });
    const text = await response.text();
    return response.ok ? undefined : text;
  } catch (error) {
    return String(error);
  }
}
