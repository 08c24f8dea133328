import type { Context, Next } from 'koa';

const PREFLIGHT_SECONDS = '86400';

/**
 * Lets pages of any origin send with a token of theirs, as Unleash does by default. Cookies play no part. A preflight is answered here,
 * because a browser that gets none sends no metrics, and Unleash may be away.
 */
export async function allowBrowsers(ctx: Context, next: Next): Promise<void> {
  ctx.set('Access-Control-Allow-Origin', '*');
  if (ctx.method !== 'OPTIONS') {
    await next();
    return;
  }
  ctx.set('Access-Control-Allow-Methods', 'POST');
  ctx.set('Access-Control-Allow-Headers', ctx.get('Access-Control-Request-Headers'));
  ctx.set('Access-Control-Max-Age', PREFLIGHT_SECONDS);
  ctx.status = 204;
}
