import type { Exchange } from './exchange.ts';

/** The router serves these methods. All others are one label, because a client may send any of thirty. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Records the route of a request that no router has seen. */
export function setRoute(ctx: Exchange, template: string): void {
  ctx._matchedRoute = template;
}

/**
 * What metrics, log and traces say about a request after its routing: the template of its path, never the path, because the
 * number of templates is bounded and a path holds names. Requests without a route have the route `none`.
 */
export function labelsOf(ctx: Exchange): { route: string; method: string } {
  const route = ctx._matchedRoute; // set by the router, with parameters as :name
  return {
    route: typeof route === 'string' ? route.replaceAll(/:(\w+)/g, '{$1}') : 'none',
    method: METHODS.includes(ctx.method) ? ctx.method : 'other',
  };
}
