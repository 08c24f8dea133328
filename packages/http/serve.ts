import { setTimeout as sleep } from 'node:timers/promises';
import type Router from '@koa/router';
import { type Config, Gauge, type Log, type Registry, type Service } from '#runtime';
import { createApp } from './app.ts';
import { listen } from './listen.ts';
import { type Readiness, createOperationsRouter } from './operations.ts';

export type ServeOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  /** What a scrape shows, where that is more than the registry. */
  readonly readMetrics?: () => Promise<string>;
  readonly routers: readonly Router[];
  readonly readiness: Readiness;
  /** Ends what the routers used; called when no request is open any more. */
  readonly finish: () => Promise<void>;
};

/** Open requests get this long for their answers when the service stops. */
const CLOSE_DEADLINE_MS = 12_000;

/**
 * Serves routers on one port, with health, readiness and metrics. Stops in order: not ready, still serving for the
 * grace period, no new connections, open requests answered, `finish`.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, registry, routers, readiness, finish } = options;
  const readMetrics = options.readMetrics ?? (() => registry.metrics());
  let isStopping = false;
  const app = createApp(log);
  const operations = createOperationsRouter({
    registry,
    readMetrics,
    readiness: () => (isStopping ? 'It is stopping.' : readiness()),
  });
  for (const router of [...routers, operations]) app.use(router.routes()).use(router.allowedMethods());
  const server = await listen(app, config.http);
  new Gauge({
    name: 'flagmeter_http_connections',
    help: 'Open connections',
    registers: [registry],
    collect() {
      this.set(server.connections());
    },
  });
  log.info({ url: server.url }, 'listening');
  return {
    url: server.url,
    async stop() {
      isStopping = true;
      await sleep(config.http.graceMs);
      await server.close(CLOSE_DEADLINE_MS);
      await finish();
    },
  };
}
