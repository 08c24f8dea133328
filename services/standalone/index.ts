import { type Config, type Log, type Service } from '#runtime';
import { reachEngines, setUp } from '#setup';
import { supervise } from './supervisor.ts';

/**
 * Everything that one machine needs: sets the engines up, then runs the front (ingest and admin behind one port) and
 * the worker, each in a process of its own, and starts again what dies.
 */
export async function startStandalone(config: Config, env: NodeJS.ProcessEnv, log: Log): Promise<Service> {
  await reachEngines(config, ['Postgres', 'ClickHouse', 'Kafka'], log);
  await setUp(config, log);
  const front = supervise({ service: 'standalone', env, log });
  const worker = supervise({ service: 'worker', env: { ...env, PORT: '0', HTTP_HOST: '127.0.0.1' }, log });
  const stop = async (): Promise<void> => {
    worker.expectEnd();
    // The worker last: it counts what the front still takes.
    await front.stop();
    await worker.stop();
  };
  try {
    const [url] = await Promise.all([front.ready, worker.ready]);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
