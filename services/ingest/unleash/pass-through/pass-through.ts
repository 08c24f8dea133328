import type { Context, Middleware } from 'koa';
import { HttpProblem, type TrustedProxies } from '#base/http';
import type { Registry } from '#base/runtime';
import { hasPassedBefore } from './headers.ts';
import { type PassOutcome, createPassMetrics } from './metrics.ts';
import { passRequest } from './pass-request.ts';
import { createProxy } from './proxy.ts';
import { createStreamingPause } from './streaming-pause.ts';
import { createStreams } from './streams.ts';

export type PassThroughOptions = {
  readonly unleash: { readonly url: string; readonly maxRequests: number };
  /** A client must send its whole request within this time. */
  readonly requestTimeoutMs: number;
  readonly trustedProxies: TrustedProxies | undefined;
  readonly registry: Registry;
};

export type PassThrough = {
  /** Passes each request to Unleash, and the answer to the client. */
  readonly middleware: Middleware;
  /** Ends all streams and pauses, so that the service can stop. */
  readonly end: () => void;
};

/**
 * Passes requests to Unleash. It has its own limits, connections and deadlines, so that a slow Unleash does not slow down
 * metrics. If Unleash gives no answer, the client gets 502 or 503: an invented 401, 403 or 404 would stop SDKs.
 */
export function createPassThrough({ unleash, registry, ...options }: PassThroughOptions): PassThrough {
  let open = 0;
  const proxy = createProxy(unleash.url);
  const streams = createStreams();
  const pause = createStreamingPause();
  const metrics = createPassMetrics(registry, { requests: () => open, streams: () => streams.open() });
  const pass = async (ctx: Context): Promise<PassOutcome> => {
    await pause.wait(ctx.req, ctx.res);
    if (ctx.res.closed) return 'left';
    const { outcome, status } = await passRequest(ctx, {
      ...options,
      proxy,
      streams,
      seconds: metrics.seconds,
    });
    pause.note(ctx.req, status ?? 502);
    metrics.requests.inc({ outcome, status: classOf(status) });
    return outcome;
  };
  return {
    async middleware(ctx) {
      const problem =
        rejectionOf(ctx) ?? (open < unleash.maxRequests ? undefined : new HttpProblem(503, FULL, LATER));
      if (problem !== undefined) {
        metrics.requests.inc({
          outcome: problem.status === 503 ? 'full' : 'rejected',
          status: classOf(undefined),
        });
        throw problem;
      }
      open += 1;
      try {
        throwUnanswered(await pass(ctx));
        ctx.respond = false;
      } finally {
        open -= 1;
      }
    },
    end() {
      pause.end();
      streams.end();
    },
  };
}

const PASSED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const LATER = { headers: { 'Retry-After': '5' } };
const FULL = 'Too many requests wait for Unleash at the moment.';

/** Requests that are answered without asking Unleash. */
function rejectionOf({ req }: Context): HttpProblem | undefined {
  if (hasPassedBefore(req)) return new HttpProblem(502, 'UNLEASH_URL leads back to flagmeter.');
  // An answer would repeat the secrets of the request.
  if (req.method === 'TRACE')
    return new HttpProblem(405, 'TRACE is not passed to Unleash.', { headers: { Allow: PASSED_METHODS } });
  // Other upgrades may be ignored, as clients that offer HTTP/2 expect.
  const isWebSocket = /^websocket$/i.test(req.headers.upgrade ?? '');
  return isWebSocket ? new HttpProblem(501, 'WebSocket connections are not passed to Unleash.') : undefined;
}

function throwUnanswered(outcome: PassOutcome): void {
  if (outcome === 'unreachable')
    throw new HttpProblem(502, 'Unleash cannot be reached or gave no valid answer.', LATER);
  if (outcome === 'timeout') throw new HttpProblem(503, 'Unleash did not answer in time.', LATER);
}

function classOf(status: number | undefined): string {
  return status === undefined ? 'none' : `${Math.floor(status / 100)}xx`;
}
