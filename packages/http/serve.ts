import { setTimeout as sleep } from 'node:timers/promises';
import type Router from '@koa/router';
import type { Middleware } from 'koa';
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
  /** Takes what has a path that nobody here serves; without it the answer is 404. */
  readonly fallback?: Middleware | undefined;
  /** Serves these routers on a port of their own. */
  readonly admin?: { readonly port: number; readonly routers: readonly Router[] } | undefined;
  readonly readiness: Readiness;
  /** Ends what the routers used; called when no request is open any more. */
  readonly finish: () => Promise<void>;
  /** Ends answers that would not end by themselves; called when the service begins to close. */
  readonly onClosing?: (() => void) | undefined;
};

/** Open requests get this long for their answers when the service stops. */
const CLOSE_DEADLINE_MS = 12_000;

/**
 * Serves routers on one port, with health, readiness and metrics; metrics on a port of their own, if one is configured, and the admin
 * API if one is given. Stops in order: not ready, still serving for the grace period, no new connections, open requests answered, `finish`.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, registry, routers, fallback, admin, readiness, finish, onClosing } = options;
  const readMetrics = options.readMetrics ?? (() => registry.metrics());
  let isStopping = false;
  const health = createHealthRouter(() => (isStopping ? 'The service is stopping.' : readiness()));
  const metrics = createMetricsRouter({ registry, readMetrics });
  const { ops, ...http } = config.http;
  const app = createAppOf([...routers, health, ...(ops ? [] : [metrics])], log);
  if (fallback !== undefined) app.use(unlessServed(fallback));
  const server = await listen(app, http);
  const opsApp = ops && createAppOf([health, metrics], log);
  const opsServer = opsApp && (await listenBeside([server], opsApp, { ...http, ...ops }));
  const adminApp = admin && createAppOf([...admin.routers, health], log);
  const adminServer =
    adminApp &&
    (await listenBeside([server, ...(opsServer ? [opsServer] : [])], adminApp, {
      ...http,
      port: admin.port,
    }));
  new Gauge({
    name: 'flagmeter_http_connections',
    help: 'Open connections',
    registers: [registry],
    collect() {
      this.set(server.connections());
    },
  });
  const adminUrl = adminServer?.url;
  log.info({ url: server.url, adminUrl, opsUrl: opsServer?.url }, 'listening');
  return {
    url: server.url,
    adminUrl,
    async stop() {
      isStopping = true;
      await sleep(config.http.graceMs);
      onClosing?.();
      await Promise.all([server.close(CLOSE_DEADLINE_MS), adminServer?.close(CLOSE_DEADLINE_MS)]);
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

/** Of the operators; never passed on, even if another port serves it. */
const RESERVED = /^\/internal-backstage(\/|$)/i;

/** A path that a route has stays with it, whatever the method. */
function unlessServed(fallback: Middleware): Middleware {
  return async (ctx, next) => {
    const routes: unknown = ctx['matched']; // the router's
    const isServed = (Array.isArray(routes) && routes.length > 0) || RESERVED.test(ctx.path);
    await (isServed ? next() : fallback(ctx, next));
  };
}

/** Listens on one more port. A service with a part of its ports does not start. */
async function listenBeside(
  others: readonly HttpServer[],
  app: Koa,
  options: ListenOptions,
): Promise<HttpServer> {
  try {
    return await listen(app, options);
  } catch (error) {
    await Promise.all(others.map((other) => other.close(0)));
    throw error;
  }
}
