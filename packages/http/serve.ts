import type { BlockList } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type Router from '@koa/router';
import type { Middleware } from 'koa';
import type Koa from 'koa';
import {
  type Config,
  Counter,
  Gauge,
  type IdentityFiles,
  type Log,
  type Registry,
  type Service,
} from '#runtime';
import { createApp } from './app.ts';
import { type HttpServer, type ListenOptions, listen } from './connections/listen.ts';
import type { ListenTls } from './connections/secure-server.ts';
import { createTrustedProxies } from './trusted-proxies.ts';
import { type Readiness, createHealthRouter, createMetricsRouter } from './health.ts';

export type ServeOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  /** Returns the text for a scrape; the default is the registry. */
  readonly readMetrics?: () => Promise<string>;
  readonly routers: readonly Router[];
  /** Runs before the routers, also for paths without a route. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Handles paths without a route; the default is a 404. */
  readonly fallback?: Middleware | undefined;
  /** Serves these routers on a separate port. */
  readonly admin?: (Served & { readonly port: number }) | undefined;
  /** The certificate of these ports, except that of the metrics; undefined for HTTP without TLS. */
  readonly tls?: IdentityFiles | undefined;
  readonly readiness: Readiness;
  /** Called when no request is open any more; closes the resources of the routers. */
  readonly finish: () => Promise<void>;
  /** Called when the service begins to close; ends answers that have no end of their own. */
  readonly onClosing?: (() => void) | undefined;
};

type Served = Pick<ServeOptions, 'routers' | 'middleware'>;

/** Open requests get this time for their answers when the service stops. */
const CLOSE_DEADLINE_MS = 12_000;

/**
 * Serves routers on one port, with health, readiness and metrics. Metrics and the admin API may have separate ports. It stops
 * in this order: not ready, serving for the grace period, no new connections, open requests answered, `finish`.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, registry, routers, middleware, fallback, admin, readiness, finish, onClosing } =
    options;
  const readMetrics = options.readMetrics ?? (() => registry.metrics());
  let isStopping = false;
  const health = createHealthRouter(() => (isStopping ? 'The service is stopping.' : readiness()));
  const metrics = createMetricsRouter({ registry, readMetrics });
  const { ops, tls: _files, trustedProxies, ...limits } = config.http;
  const proxies = createTrustedProxies(trustedProxies);
  const http = { ...limits, tls: options.tls && listenTls(options.tls, options) };
  const app = createAppOf(
    { middleware, routers: [...routers, health, ...(ops ? [] : [metrics])] },
    log,
    proxies,
  );
  if (fallback !== undefined) app.use(unlessServed(fallback));
  const server = await listen(app, http);
  const opsApp = ops && createAppOf({ routers: [health, metrics] }, log, proxies);
  const opsServer = opsApp && (await listenBeside([server], opsApp, { ...limits, ...ops }));
  const adminApp = admin && createAppOf({ ...admin, routers: [...admin.routers, health] }, log, proxies);
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

function listenTls(files: IdentityFiles, { registry, log }: ServeOptions): ListenTls {
  const failed = new Counter({
    name: 'flagmeter_tls_failed_handshakes_total',
    help: 'Connections that ended before they were encrypted',
    labelNames: ['reason'],
    registers: [registry],
  });
  for (const reason of ['timeout', 'other']) failed.inc({ reason }, 0);
  return {
    files,
    log,
    onFailedHandshake(reason) {
      failed.inc({ reason });
    },
  };
}

function createAppOf({ middleware = [], routers }: Served, log: Log, proxies: BlockList | undefined): Koa {
  const app = createApp(log, proxies);
  for (const each of middleware) app.use(each);
  for (const router of routers) app.use(router.routes()).use(router.allowedMethods());
  return app;
}

/** Paths for operators. They never go to the fallback, even if another port serves them. */
const RESERVED = /^\/internal-backstage(\/|$)/i;

/** A path with a route never goes to the fallback, whatever the method. */
function unlessServed(fallback: Middleware): Middleware {
  return async (ctx, next) => {
    const routes: unknown = ctx['matched']; // set by the router
    const isServed = (Array.isArray(routes) && routes.length > 0) || RESERVED.test(ctx.path);
    await (isServed ? next() : fallback(ctx, next));
  };
}

/** Listens on another port. If that fails, the service does not start at all. */
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
