import type { Context, Middleware, Next } from 'koa';
import QuickLRU from 'quick-lru';
import { addressOf } from './address.ts';
import { HttpProblem } from './problems.ts';

/** Addresses that are remembered at the same time. */
const MAX_ADDRESSES = 10_000;

export type AddressLimit = { readonly most: number; readonly windowMs: number };

/** Answers 429 to an address that has asked for more than `most` in a window: for large answers that need no token. */
export function limitAddress({ most, windowMs }: AddressLimit): Middleware {
  const windows = new QuickLRU<string, { requests: number; readonly endsAt: number }>({
    maxSize: MAX_ADDRESSES,
  });
  return async (ctx: Context, next: Next) => {
    const address = addressOf(ctx.req.socket);
    const now = performance.now();
    const known = windows.get(address);
    const window =
      known === undefined || known.endsAt <= now ? { requests: 0, endsAt: now + windowMs } : known;
    if (window !== known) windows.set(address, window);
    window.requests += 1;
    if (window.requests > most)
      throw new HttpProblem(429, 'Too many requests from this address.', {
        headers: { 'Retry-After': String(Math.ceil((window.endsAt - now) / 1000)) },
      });
    await next();
  };
}
