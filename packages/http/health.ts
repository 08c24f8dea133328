import Router from '@koa/router';
import { type Registry, shareReads } from '#runtime';
import { problemBody, HttpProblem } from './problems.ts';

/** Undefined while ready, else what it waits for. */
export type Readiness = () => string | undefined | Promise<string | undefined>;

/** What relays and load balancers ask of every service: is it alive, is it ready. */
export function createHealthRouter(readiness: Readiness): Router {
  const router = new Router();
  router.get('/health', (ctx) => {
    ctx.body = { health: 'GOOD' };
  });
  router.get('/ready', async (ctx) => {
    const reason = await readiness();
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = reason === undefined ? { health: 'GOOD' } : problemBody(new HttpProblem(503, reason));
  });
  return router;
}

export type Metrics = {
  readonly registry: Registry;
  readonly readMetrics: () => Promise<string>;
};

/** What an operator asks: what does it count. One read serves all who ask meanwhile. */
export function createMetricsRouter({ registry, readMetrics }: Metrics): Router {
  const router = new Router();
  const readText = shareReads(0, readMetrics);
  const readJson = shareReads(0, () => registry.getMetricsAsJSON());
  router.get('/internal-backstage/prometheus', async (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await readText();
  });
  // For the standalone process, which shows the metrics of the worker beside its own.
  router.get('/internal-backstage/metrics.json', async (ctx) => {
    ctx.body = await readJson();
  });
  return router;
}
