import { setTimeout as sleep } from 'node:timers/promises';
import type Router from '@koa/router';
import type Koa from 'koa';
import { type Config, Gauge, type Log, type Registry, type Service } from '#runtime';
import { createApp } from './app.ts';
import { type HttpServer, type ListenOptions, listen } from './connections/listen.ts';
import { type Readiness, createHealthRouter, createMetricsRouter } from './health.ts';

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
 * Serves routers on one port, with health, readiness and metrics; metrics on a port of their own, if one is configured. Stops in order: not ready, still serving for the
 * grace period, no new connections, open requests answered, `finish`.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, registry, routers, readiness, finish } = options;
  const readMetrics = options.readMetrics ?? (() => registry.metrics());
  let isStopping = false;
  const health = createHealthRouter(() => (isStopping ? 'The service is stopping.' : readiness()));
  const metrics = createMetricsRouter({ registry, readMetrics });
  const { ops, ...http } = config.http;
  const server = await listen(createAppOf([...routers, health, ...(ops ? [] : [metrics])], log), http);
  const opsServer =
    ops && (await listenBeside(server, createAppOf([health, metrics], log), { ...http, ...ops }));
  new Gauge({
    name: 'flagmeter_http_connections',
    help: 'Open connections',
    registers: [registry],
    collect() {
      this.set(server.connections());
    },
  });
  log.info({ url: server.url, ...(opsServer && { opsUrl: opsServer.url }) }, 'listening');
  return {
    url: server.url,
    async stop() {
      isStopping = true;
      await sleep(config.http.graceMs);
      await server.close(CLOSE_DEADLINE_MS);
      await opsServer?.close(0);
      await finish();
    },
  };
}

function createAppOf(routers: readonly Router[], log: Log): Koa {
  const app = createApp(log);
  for (const router of routers) app.use(router.routes()).use(router.allowedMethods());
  return app;
}

/** Listens on one more port. A service with half of its ports does not start. */
async function listenBeside(first: HttpServer, app: Koa, options: ListenOptions): Promise<HttpServer> {
  try {
    return await listen(app, options);
  } catch (error) {
    await first.close(0);
    throw error;
  }
}
