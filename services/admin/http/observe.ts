import type { Context } from 'koa';
import { Counter, Histogram, type Log, type Registry } from '#runtime';
import type { Caller } from '#tokens';
import type { Step } from './step.ts';

export type ObserveOptions = {
  readonly registry: Registry;
  readonly log: Log;
  /** Whether each request is logged. */
  readonly isLogged: boolean;
};

/** The router serves these methods. All others are one label, because a client may send any of thirty. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Counts and times requests, and logs them if `isLogged`. Labels are templates of paths, never paths: their number is bounded,
 * and a path holds names. Requests without a route have the route `none`.
 */
export function observe({ registry, log, isLogged }: ObserveOptions): Step {
  const { requests, seconds } = createMetrics(registry);
  // Prometheus computes no rate of a series that begins with its first error.
  requests.inc({ route: 'none', method: 'GET', status: '5xx' }, 0);
  return async (ctx, next) => {
    const startedAt = performance.now();
    const { socket } = ctx.req;
    const bytesBefore = socket.bytesWritten;
    ctx.res.once('close', () => {
      const labels = labelsOf(ctx);
      requests.inc({ ...labels, status: `${Math.floor(ctx.status / 100)}xx` });
      if (!isLogged) return;
      const ms = Math.round(performance.now() - startedAt);
      const bytes = socket.bytesWritten - bytesBefore;
      log.info({ ...labels, status: ctx.status, ms, bytes, ...sourceOf(ctx) }, 'admin request');
    });
    try {
      await next();
    } finally {
      seconds.observe(labelsOf(ctx), (performance.now() - startedAt) / 1000);
    }
  };
}

function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requests: new Counter({
      name: 'flagmeter_admin_requests_total',
      help: 'Requests of the admin API and the console by route, method and class of the status, such as 2xx',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'flagmeter_admin_request_seconds',
      help: 'Time from the headers of a request of the admin API or the console until its answer begins',
      labelNames: ['route', 'method'],
      buckets: [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
      registers,
    }),
  };
}

function labelsOf(ctx: Context): { route: string; method: string } {
  const route: unknown = ctx['_matchedRoute']; // set by the router, with parameters as :name
  return {
    route: typeof route === 'string' ? route.replaceAll(/:(\w+)/g, '{$1}') : 'none',
    method: METHODS.includes(ctx.method) ? ctx.method : 'other',
  };
}

/** An id of the client's choice. Secrets of tokens contain a colon, so none has this form. */
const REQUEST_ID = /^[\w.-]{1,64}$/;
/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** Who sent the request, and its ids. Never its query, path, body or credential, because these may hold secrets. */
function sourceOf(ctx: Context) {
  const { caller } = ctx.state as { readonly caller?: Caller }; // set by the operation router
  return {
    userId: caller?.userId,
    tokenId: caller?.tokenId,
    requestId: wellFormed(ctx.get('X-Request-Id'), REQUEST_ID),
    traceparent: wellFormed(ctx.get('Traceparent'), TRACEPARENT),
    isComplete: ctx.res.writableFinished,
  };
}

function wellFormed(text: string, pattern: RegExp): string | undefined {
  return pattern.test(text) ? text : undefined;
}
