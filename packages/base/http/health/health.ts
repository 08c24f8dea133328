import Router from '@koa/router';
import type { Context } from 'koa';
import { type Registry, shareReads } from '#base/runtime';
import { problemBody, HttpProblem } from '../problems/problems.ts';

/** The reason why the service is not ready; undefined if it is ready. */
export type Readiness = () => string | undefined;

export type Health = {
  readonly readiness: Readiness;
  /** Whether the admin API is ready, if the process serves it beside its other work. */
  readonly adminReadiness?: Readiness | undefined;
  /** Whether the root belongs to another server, which is the fallback. */
  readonly isRootPassed: boolean;
};

/** Ours, those of Kubernetes, and that of Unleash Edge. */
const LIVENESS = ['/health', '/healthz', '/livez', '/internal-backstage/health'];
const READINESS = ['/ready', '/readyz', '/internal-backstage/ready'];

/**
 * Liveness and readiness, for relays and load balancers. Many of these cannot choose the path or the method, so the root is one more
 * path for liveness, unless a router before this one serves it, and every path answers OPTIONS.
 */
export function createHealthRouter({ readiness, adminReadiness, isRootPassed }: Health): Router {
  const router = new Router();
  const serve = (paths: readonly string[], handle: (ctx: Context) => void): void => {
    for (const path of paths) router.get(path, handle).options(path, answerOptions);
  };
  serve(isRootPassed ? LIVENESS : ['/', ...LIVENESS], (ctx) => {
    ctx.body = { health: 'GOOD' };
  });
  serve(READINESS, answer(readiness));
  if (adminReadiness !== undefined) serve(['/ready/admin'], answer(adminReadiness));
  return router;
}

/** Answers OPTIONS of a resource that can only be read, which says no more than that the process is alive. */
export function answerOptions(ctx: Context): void {
  ctx.set('Allow', 'GET, HEAD, OPTIONS');
  ctx.status = 204;
}

function answer(readiness: Readiness): (ctx: Context) => void {
  return (ctx) => {
    const reason = readiness();
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = reason === undefined ? { health: 'GOOD' } : problemBody(new HttpProblem(503, reason));
  };
}

export type Metrics = {
  readonly registry: Registry;
  readonly readMetrics?: () => Promise<string | Buffer>;
  readonly readUnmerged?: (() => string) | undefined;
};

/** That of Unleash and Edge, and what Prometheus asks for by default, which belongs to others on the port of the service. */
export const METRICS_PATH = '/internal-backstage/prometheus';
export const USUAL_METRICS_PATH = '/metrics';
/** The metrics of one process for another one: as data, and as text if they are too many. */
export const MERGED_PATH = '/internal-backstage/metrics.json';
export const UNMERGED_PATH = '/internal-backstage/metrics.txt';

/** Metrics for operators on these paths. Concurrent scrapes share one reading. */
export function createMetricsRouter(metrics: Metrics, paths: readonly string[]): Router {
  const { registry, readUnmerged = () => '' } = metrics;
  const router = new Router();
  const readAll = async (): Promise<string> => (await registry.metrics()) + readUnmerged();
  const readText = shareReads(0, metrics.readMetrics ?? readAll);
  const readJson = shareReads(0, () => registry.getMetricsAsJSON());
  router.get([...paths], async (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await readText();
  });
  // The standalone process reads this, to show the metrics of the worker beside its own.
  router.get(MERGED_PATH, async (ctx) => {
    ctx.body = await readJson();
  });
  router.get(UNMERGED_PATH, (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = readUnmerged();
  });
  return router;
}
