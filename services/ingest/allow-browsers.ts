import type { Context, Next } from 'koa';

const PREFLIGHT_SECONDS = '86400';

/**
 * Allows pages of any origin to send with their own token, as Unleash does by default; cookies have no effect. Ingest answers
 * the preflight itself, because Unleash may be unreachable, and a browser without an answer sends no metrics.
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
