import Router from '@koa/router';
import type { Registry } from '#runtime';
import { problemBody, HttpProblem } from './problems.ts';

/** Undefined while ready, else what it waits for. */
export type Readiness = () => string | undefined | Promise<string | undefined>;

export type Operations = {
  readonly registry: Registry;
  readonly readMetrics: () => Promise<string>;
  readonly readiness: Readiness;
};

/** What an operator asks of every service: is it alive, is it ready, what does it count. */
export function createOperationsRouter({ registry, readMetrics, readiness }: Operations): Router {
  const router = new Router();
  router.get('/health', (ctx) => {
    ctx.body = { health: 'GOOD' };
  });
  router.get('/ready', async (ctx) => {
    const reason = await readiness();
    ctx.status = reason === undefined ? 200 : 503;
    ctx.body = reason === undefined ? { health: 'GOOD' } : problemBody(new HttpProblem(503, reason));
  });
  router.get('/internal-backstage/prometheus', async (ctx) => {
    ctx.set('Content-Type', registry.contentType);
    ctx.body = await readMetrics();
  });
  // For the front, which shows the metrics of the worker beside its own.
  router.get('/internal-backstage/metrics.json', async (ctx) => {
    ctx.body = await registry.getMetricsAsJSON();
  });
  return router;
}
