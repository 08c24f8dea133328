import type { TypedMiddleware } from '../typed-middleware.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, Traceparent';
/** Headers of answers that a page may read beside the harmless ones. */
const ANSWER_HEADERS = 'Allow, ETag, Retry-After, WWW-Authenticate, X-Request-Id';
/** How long a browser may remember the answer to a preflight. */
const PREFLIGHT_SECONDS = '600';

/**
 * Lets the pages of these origins call the API, and answers their preflights. Other pages get no header, so their browser hides
 * the answer from them. There is no `Access-Control-Allow-Credentials`: callers send a token, which no browser adds by itself.
 */
export function allowOrigins(origins: readonly string[]): TypedMiddleware {
  const allowed = new Set(origins);
  return async (ctx, next) => {
    ctx.vary('Origin');
    const origin = ctx.get('Origin');
    if (!allowed.has(origin)) {
      await next();
      return;
    }
    ctx.set('Access-Control-Allow-Origin', origin);
    if (ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== '') {
      ctx.set('Access-Control-Allow-Methods', METHODS);
      ctx.set('Access-Control-Allow-Headers', REQUEST_HEADERS);
      ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
      ctx.status = 204;
      return;
    }
    ctx.set('Access-Control-Expose-Headers', ANSWER_HEADERS);
    await next();
  };
}
