import type { Middleware } from 'koa';
import { traceRequests } from '#base/http';
import type { Tracing } from '#base/runtime';
import { compress } from './answers/compress.ts';
import { allowOrigins } from './requests/cors.ts';
import { type ObserveOptions, observe } from './observe.ts';
import { isJsonRead } from './answers/reads.ts';
import { revalidate } from './answers/revalidate.ts';
import type { TypedMiddleware } from './typed-middleware.ts';

export type AdminMiddlewareOptions = ObserveOptions & {
  /** Origins of other web pages that may call the API; empty for none. */
  readonly corsOrigins: readonly string[];
  /** Undefined if requests are not traced. */
  readonly tracing: Tracing | undefined;
};

/** The middleware of the admin API, its documentation and the console, from the outermost to the innermost. */
export function createAdminMiddleware({
  corsOrigins,
  tracing,
  ...options
}: AdminMiddlewareOptions): Middleware[] {
  const cors = corsOrigins.length === 0 ? [] : [allowOrigins(corsOrigins)];
  const ofApi = [...cors, controlCaches, compress(), revalidate];
  const traces = tracing === undefined ? [] : [on(OBSERVED_PATHS, traceRequests(tracing))];
  return [...traces, on(OBSERVED_PATHS, observe(options)), ...ofApi.map((step) => on(API_PATHS, step))];
}

/** Ingest may share the port, so its requests pass here too. Each costs one comparison. */
function on(paths: RegExp, step: TypedMiddleware): TypedMiddleware {
  return (ctx, next) => (paths.test(ctx.path) ? step(ctx, next) : next());
}

/** The router ignores the case of paths. */
const API_PATHS = /^\/(api\/admin|docs)(\/|$)/i;
const OBSERVED_PATHS = /^\/$|^\/(mcp|sign-out)$|^\/(api\/admin|docs|console|sign-in)(\/|$)/i;

/**
 * Lets no cache keep errors, or answers to changes, which may show a new secret. A browser may keep a read for its user, but must
 * ask again before it shows the read.
 */
const controlCaches: TypedMiddleware = async (ctx, next) => {
  ctx.set('Cache-Control', NO_STORE);
  await next();
  if (!isJsonRead(ctx) || ctx.response.get('Cache-Control') !== NO_STORE) return;
  ctx.set('Cache-Control', 'private, no-cache');
  ctx.vary('Authorization');
  ctx.vary('Cookie');
};

const NO_STORE = 'no-store';
