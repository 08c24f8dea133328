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
} from '#base/runtime';
import { type AppOptions, createApp } from './app.ts';
import { type HttpServer, type ListenOptions, listen } from './connections/listen.ts';
import { createForeignReport } from './connections/report-foreign.ts';
import type { ListenTls } from './connections/secure-server.ts';
import { createTrustedProxies } from './addresses/trusted-proxies.ts';
import {
  METRICS_PATH,
  type Readiness,
  USUAL_METRICS_PATH,
  createHealthRouter,
  createMetricsRouter,
} from './health/health.ts';
import { type DirectHandlers, serveDirectly } from './serve-directly.ts';
import { unlessServed } from './unless-served.ts';

export type ServeOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  /** Returns the text for a scrape; the default is the registry, and what is unmerged. */
  readonly readMetrics?: () => Promise<string | Buffer>;
  /** Returns the text of series that are too many to be merged with those of other processes. */
  readonly readUnmerged?: (() => string) | undefined;
  readonly routers: readonly Router[];
  /** Runs before the routers, also for paths without a route. */
  readonly middleware?: readonly Middleware[] | undefined;
  /** Handlers that serve their requests before anything else. */
  readonly direct?: DirectHandlers | undefined;
  /** Handles paths without a route; the default is a 404. */
  readonly fallback?: Middleware | undefined;
  /** Serves these routers on a separate port. */
  readonly admin?: (Served & { readonly port: number }) | undefined;
  /** The certificate of these ports, except that of the metrics; undefined for HTTP without TLS. */
  readonly tls?: IdentityFiles | undefined;
  readonly readiness: Readiness;
  /** Of the admin API, if it is served beside the routers. */
  readonly adminReadiness?: Readiness | undefined;
  /** Called when no request is open any more; closes the resources of the routers. */
  readonly finish: () => Promise<void>;
  /** Called when the service begins to close; ends streams, which would never end. */
  readonly onClosing?: (() => void) | undefined;
  /** Undefined if no other process listens on these ports. */
  readonly sharing?: Sharing | undefined;
};

type Served = Pick<ServeOptions, 'routers' | 'middleware'>;

/** For a process that shares its ports with others of its kind. Each of them gets some of the connections. */
export type Sharing = {
  /** Whether another process has already taken the place of this one. */
  readonly isReplaced: () => boolean;
};

/** Open requests get this time for their answers when the service stops. */
const CLOSE_DEADLINE_MS = 12_000;
/** A process that shares its ports listens after this time at the latest, even if it is not ready. */
const LISTEN_ANYWAY_MS = 10_000;
const LOOK_EVERY_MS = 50;
/** The time in which clients of a replaced process leave by themselves: their next answer asks them to. */
const LEAVE_MS = 1000;

/**
 * Serves routers on one port, with health, readiness and metrics. Metrics and the admin API may have separate ports. It stops
 * in this order: not ready, serving for the grace period, no new connections, open requests answered, `finish`.
 */
export async function serve(options: ServeOptions): Promise<Service> {
  const { config, log, registry, sharing } = options;
  const stopping = { hasBegun: false };
  const { server, adminServer, opsServer, ownServer } = await listenAll(options, () => stopping.hasBegun);
  new Gauge({
    name: 'flagmeter_http_connections',
    help: 'Open connections',
    registers: [registry],
    collect() {
      this.set(server.connections());
    },
  });
  const [url, adminUrl, ownUrl] = [server.url, adminServer?.url, ownServer?.url];
  log.info({ url, adminUrl, opsUrl: opsServer?.url }, 'listening');
  const stop = async (): Promise<void> => {
    stopping.hasBegun = true;
    if (sharing?.isReplaced() === true) {
      for (const each of [server, adminServer, opsServer]) each?.stopAccepting();
      await sleep(LEAVE_MS);
    } else await sleep(config.http.graceMs);
    options.onClosing?.();
    await Promise.all([server.close(CLOSE_DEADLINE_MS), adminServer?.close(CLOSE_DEADLINE_MS)]);
    await Promise.all([opsServer?.close(0), ownServer?.close(0)]);
    await options.finish();
  };
  let stopped: Promise<void> | undefined;
  // Once, however often it is asked for.
  return { url, adminUrl, ownUrl, stop: () => (stopped ??= stop()) };
}

async function listenAll(options: ServeOptions, isStopping: () => boolean) {
  const { config, log, routers, middleware, fallback, admin, sharing, readiness } = options;
  const metrics = createMetricsRouter(options, [METRICS_PATH]);
  const opsMetrics = createMetricsRouter(options, [METRICS_PATH, USUAL_METRICS_PATH]);
  const { health, opsHealth, adminHealth } = createHealthRouters(options, isStopping);
  const { ops, tls: _files, trustedProxies, ...limitsOfPorts } = config.http;
  const limits = { ...limitsOfPorts, onForeign: createForeignReport(options) };
  const appOptions = { log, proxies: createTrustedProxies(trustedProxies), isStopping };
  const http = { ...limits, tls: options.tls && listenTls(options.tls, options) };
  const direct = options.direct && serveDirectly(options.direct, appOptions);
  const opened: HttpServer[] = [];
  /** If one port cannot be opened, the service does not start at all. */
  const open = async (app: Koa, listenOptions: ListenOptions): Promise<HttpServer> => {
    try {
      const server = await listen(app, listenOptions);
      opened.push(server);
      return server;
    } catch (error) {
      await Promise.all(opened.map((other) => other.close(0)));
      throw error;
    }
  };
  const served = [...routers, health, ...(ops ? [] : [metrics])];
  const app = createAppOf({ middleware, routers: served }, appOptions);
  if (fallback !== undefined) app.use(unlessServed(fallback, served));
  const opsApp = createAppOf({ routers: [opsHealth, opsMetrics] }, appOptions);
  const adminApp = admin && createAppOf({ ...admin, routers: [...admin.routers, adminHealth] }, appOptions);
  const ownServer = sharing && (await open(opsApp, { ...limits, ...OWN }));
  // The others answer meanwhile: this process would reject batches.
  if (sharing !== undefined) await untilReady(readiness);
  const server = await open(app, { ...http, direct });
  const opsServer = ops && (await open(opsApp, { ...limits, ...ops }));
  const adminServer = admin && adminApp && (await open(adminApp, { ...http, port: admin.port }));
  return { server, adminServer, opsServer, ownServer };
}

/** The port of the admin API alone reports only what the admin API needs. */
function createHealthRouters(
  { readiness, adminReadiness, fallback }: ServeOptions,
  isStopping: () => boolean,
) {
  const whileServing =
    (one: Readiness): Readiness =>
    () =>
      isStopping() ? 'The service is stopping.' : one();
  const ofAdmin = adminReadiness && whileServing(adminReadiness);
  const ofService = whileServing(readiness);
  const shared = { adminReadiness: ofAdmin, isRootPassed: false };
  return {
    health: createHealthRouter({ ...shared, readiness: ofService, isRootPassed: fallback !== undefined }),
    opsHealth: createHealthRouter({ ...shared, readiness: ofService }),
    adminHealth: createHealthRouter({ ...shared, readiness: ofAdmin ?? ofService }),
  };
}

const OWN = { host: '127.0.0.1', port: 0, isExclusive: true };

/** Resolves at the deadline at the latest: the process then says itself why it is not ready. */
async function untilReady(readiness: Readiness): Promise<void> {
  const deadline = Date.now() + LISTEN_ANYWAY_MS;
  while (Date.now() < deadline && readiness() !== undefined) await sleep(LOOK_EVERY_MS);
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

function createAppOf({ middleware = [], routers }: Served, options: AppOptions): Koa {
  const app = createApp(options);
  for (const each of middleware) app.use(each);
  for (const router of routers) app.use(router.routes()).use(router.allowedMethods());
  return app;
}
