import { reachEngines, setUp } from '#tooling/operations';
import { type Config, type Log, type Service, inBackground } from '#base/runtime';
import { type Processes, startAll } from './processes.ts';

/**
 * Runs all processes for one machine. It sets up the engines and starts the standalone processes (ingest and admin), the worker
 * and, if needed, the process that talks to Unleash. It restarts a process that dies, and replaces all of them after SIGUSR2.
 */
export async function startProcesses(config: Config, env: NodeJS.ProcessEnv, log: Log): Promise<Service> {
  await reachEngines(config, ['Postgres', 'ClickHouse', 'Kafka'], log);
  await setUp(config, log);
  const processes = startAll(config, env, log);
  replaceOnSignal(processes, log);
  try {
    const { url, adminUrl } = await processes.ready;
    return { url, adminUrl, stop: () => processes.stop() };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

/** Not SIGHUP: a terminal that closes sends it to all processes. */
function replaceOnSignal(processes: Processes, log: Log): void {
  let isReplacing = false;
  const replaceOnce = async (): Promise<void> => {
    if (isReplacing) return;
    isReplacing = true;
    try {
      await processes.ready;
      await processes.replaceAll();
      log.info('processes replaced');
    } catch (err) {
      log.error({ err }, 'processes not replaced');
    }
    isReplacing = false;
  };
  process.on('SIGUSR2', () => {
    inBackground(replaceOnce());
  });
}
