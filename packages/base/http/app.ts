import Koa, { type Context, type Next } from 'koa';
import type { Log } from '#base/runtime';
import { BROWSER_HEADERS } from './browser-headers.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem, type ProblemStatus, problemBody } from './problems/problems.ts';
import { answerOptions } from './health/health.ts';
import { checkHead } from './requests/check-head.ts';
import { discardRest } from './requests/discard-rest.ts';
import { normaliseTarget } from './requests/target.ts';
import { type TrustedProxies, addressesOf } from './addresses/trusted-proxies.ts';

export type AppOptions = {
  readonly log: Log;
  readonly proxies: TrustedProxies | undefined;
  /** While it is true, answers ask clients to open a new connection for their next request. */
  readonly isStopping: () => boolean;
};

/**
 * Node warns of a leak above it. A list that is streamed has nine listeners of its end, of which Node adds seven; the trace and a request that
 * waits on the same connection add one each.
 */
const MAX_LISTENERS = 12;

/** A Koa application that answers every error with the error body of the contract. `ctx.ip` is the address of the client. */
export function createApp({ log, proxies, isStopping }: AppOptions): Koa {
  const app = new Koa();
  app.on('error', (err: Error) => {
    // Koa reports errors here that occur after the answer has begun, mostly because the client has left.
    log.debug({ err }, 'response failed');
  });
  app.use(async (ctx, next) => {
    if (proxies !== undefined) [ctx.request.ip] = addressesOf(ctx.req, proxies);
    ctx.set(BROWSER_HEADERS);
    ctx.res.setMaxListeners(MAX_LISTENERS);
    if (isStopping()) ctx.res.shouldKeepAlive = false;
    await answerProblems(ctx, next, log);
    if (isStopping()) ctx.res.shouldKeepAlive = false;
    discardRest(ctx.req);
  });
  return app;
}

async function answerProblems(ctx: Context, next: Next, log: Log): Promise<void> {
  try {
    checkHead(ctx.req);
    if (asksForLife(ctx)) {
      answerOptions(ctx);
      return;
    }
    await next();
    if (ctx.respond !== false) throwUnmatched(ctx);
  } catch (error) {
    answerError(ctx, error, log);
  }
}

/** Makes the answer to a request that failed. */
export function answerError(exchange: Exchange, error: unknown, log: Log): void {
  const problem = toProblem(error);
  const body = problemBody(problem);
  if (problem.status === 500) log.error({ err: error, id: body.id }, 'request failed');
  exchange.set(problem.headers);
  exchange.status = problem.status;
  exchange.body = body;
}

/**
 * Whether a load balancer only asks whether the server is alive: OPTIONS of the whole server or of its root. We answer it in front of
 * Unleash too, so that an outage of Unleash takes no port of ours out of a load balancer. Normalises the target of other requests.
 */
function asksForLife({ method, req }: Context): boolean {
  if (method === 'OPTIONS' && req.url === '*') return true;
  normaliseTarget(req);
  return method === 'OPTIONS' && /^\/(\?|$)/.test(req.url ?? '');
}

/**
 * Koa and its router only set a status if no route matches: 404, 405, or 501 for a method that no route has. For OPTIONS they
 * set 200; only routes for browsers answer it, with 204.
 */
function throwUnmatched(ctx: Context): void {
  const isMatched = ctx.body !== undefined || ![404, 405, 501].includes(ctx.status);
  if (isMatched && (ctx.method !== 'OPTIONS' || ctx.status === 204)) return;
  if (ctx.response.get('Allow')) throw new HttpProblem(405, 'This path does not support the method.');
  throw new HttpProblem(404, 'No resource exists at this path.');
}

/** Hides the details of an unexpected error from the client, because its message may contain SQL or addresses. */
function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const status: ProblemStatus = error instanceof URIError || isBadRequest(error) ? 400 : 500;
  const message = status === 400 ? 'The request could not be understood.' : 'Internal error.';
  return new HttpProblem(status, message, { cause: error });
}

/** Errors of Koa and its router about the request itself, for example a path that cannot be decoded. */
function isBadRequest(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 400;
}
