import type Router from '@koa/router';
import type { Middleware } from 'koa';
import { ambiguous, readingsOf } from './requests/target.ts';

/** Paths for operators. They never go to the fallback, even if another port serves them. */
const RESERVED = /^\/internal-backstage(\/|$)/i;

/**
 * Calls the fallback for paths without a route. A path with a route never goes there, whatever the method. Throws a 400 for a path that
 * the server behind the fallback might read as one of ours.
 */
export function unlessServed(fallback: Middleware, routers: readonly Router[]): Middleware {
  return async (ctx, next) => {
    const routes: unknown = ctx['matched']; // set by the router
    if ((Array.isArray(routes) && routes.length > 0) || RESERVED.test(ctx.path)) {
      await next();
      return;
    }
    const isOurs = (path: string): boolean =>
      RESERVED.test(path) || routers.some((router) => router.match(path, ctx.method).path.length > 0);
    if (readingsOf(ctx.path).some(isOurs)) throw ambiguous('must not encode the slashes of another path');
    await fallback(ctx, next);
  };
}
