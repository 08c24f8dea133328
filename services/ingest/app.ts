import { openCredentials } from '#base/auth';
import { openUnleashTokens } from '#unleash/tokens';
import { serve } from '#base/http';
import { type Config, type Log, type Service, createRegistry, openTracing } from '#base/runtime';
import { openIngest } from './open-ingest.ts';
import type { Broker } from './publish/broker.ts';

/** Runs ingest as a separate process. The benchmark passes a broker that stores nothing. */
export async function startIngest(config: Config, log: Log, broker?: Broker): Promise<Service> {
  const registry = createRegistry();
  const credentials = openCredentials(config, log, { others: openUnleashTokens(config, log) });
  const tracing = await openTracing(config.tracing, 'ingest', log);
  const ingest = openIngest({ config, credentials, registry, log, broker, tracing });
  return serve({
    config,
    log,
    registry,
    tls: config.http.tls,
    direct: ingest.direct,
    routers: [ingest.router],
    fallback: ingest.fallback?.middleware,
    readiness: () => ingest.readiness(),
    onClosing: ingest.fallback?.end,
    async finish() {
      await ingest.stop();
      await credentials.close();
      await tracing?.stop();
    },
  });
}
