import Router from '@koa/router';
import type { Context } from 'koa';
import { type Registry, shareReads } from '#runtime';
import { problemBody, HttpProblem } from '../problems/problems.ts';

/** The reason why the service is not ready; undefined if it is ready. */
export type Readiness = () => string | undefined;

export type Health = {
  readonly readiness: Readiness;
  /** Whether the admin API is ready, if the process serves it beside its other work. */
  readonly adminReadiness?: Readiness | undefined;
};

/** Liveness and readiness, for relays and load balancers. */
export function createHealthRouter({ readiness, adminReadiness }: Health): Router {
  const router = new Router();
  router.get('/health', (ctx) => {
    ctx.body = { health: 'GOOD' };
  });
  router.get('/ready', answer(readiness));
  if (adminReadiness !== undefined) router.get('/ready/admin', answer(adminReadiness));
  return router;
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
  readonly readMetrics: () => Promise<string>;
};

/** Metrics for operators. Concurrent scrapes share one reading. */
export function createMetricsRouter({ registry, readMetrics }: Metrics): Router {
  const router = new Router();
  const readText = shareReads(0, readMetrics);
  const readJson = shareReads(0, () => registry.getMetricsAsJSON());
  router.get('/internal-backstage/prometheus', async (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await readText();
  });
  // The standalone process reads this, to show the metrics of the worker beside its own.
  router.get('/internal-backstage/metrics.json', async (ctx) => {
    ctx.body = await readJson();
  });
  return router;
}
