import type { Context } from 'koa';
import { labelsOf } from '#base/http';
import {
  Counter,
  Histogram,
  type Log,
  type Registry,
  currentSpan,
  wellFormedTraceparent,
} from '#base/runtime';
import type { Caller } from '#base/tokens';
import type { TypedMiddleware } from './typed-middleware.ts';

export type ObserveOptions = {
  readonly registry: Registry;
  readonly log: Log;
  /** Whether each request is logged. */
  readonly isLogged: boolean;
};

/** Counts and times requests, and logs them if `isLogged`. */
export function observe({ registry, log, isLogged }: ObserveOptions): TypedMiddleware {
  const { requests, seconds } = createMetrics(registry);
  // Prometheus computes no rate of a series that begins with its first error.
  requests.inc({ route: 'none', method: 'GET', status: '5xx' }, 0);
  return async (ctx, next) => {
    const startedAt = performance.now();
    const traceId = currentSpan()?.traceId; // the span has ended when the answer closes
    const { socket } = ctx.req;
    const bytesBefore = socket.bytesWritten;
    ctx.res.once('close', () => {
      const labels = labelsOf(ctx);
      requests.inc({ ...labels, status: `${Math.floor(ctx.status / 100)}xx` });
      if (!isLogged) return;
      const ms = Math.round(performance.now() - startedAt);
      const bytes = socket.bytesWritten - bytesBefore;
      log.info({ ...labels, status: ctx.status, ms, bytes, traceId, ...sourceOf(ctx) }, 'admin request');
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

/** An id of the client's choice. Secrets of tokens contain a colon, so none has this form. */
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Set by the performer, and the operation by `/mcp`, whose route does not name it. */
type State = { readonly caller?: Caller; readonly operation?: string };

/** Who sent the request, and its ids. Never its query, path, body or credential, because these may hold secrets. */
function sourceOf(ctx: Context) {
  const { caller, operation } = ctx.state as State;
  return {
    operation,
    userId: caller?.userId,
    tokenId: caller?.tokenId,
    requestId: wellFormedId(ctx.get('X-Request-Id')),
    traceparent: wellFormedTraceparent(ctx.get('Traceparent')),
    isComplete: ctx.res.writableFinished,
  };
}

function wellFormedId(text: string): string | undefined {
  return REQUEST_ID.test(text) ? text : undefined;
}
