import { serve } from '#http';
import { type Config, type Log, type Service, createRegistry } from '#runtime';
import { openCredentials } from '#stores';
import { createIngest } from './index.ts';

/** Ingest as a process of its own. */
export async function startIngest(config: Config, log: Log): Promise<Service> {
  const registry = createRegistry();
  const credentials = openCredentials(config, log);
  const ingest = createIngest({ config, credentials, registry, log });
  return serve({
    config,
    log,
    registry,
    routers: [ingest.router],
    readiness: () => ingest.readiness(),
    async finish() {
      await ingest.stop();
      await credentials.close();
    },
  });
}
