import type { Context, Middleware, Next } from 'koa';
import type { Rates } from '#auth';
import { type Authenticated, HttpProblem } from '#http';

export type RateOptions = {
  readonly rates: Pick<Rates, 'count'>;
  /** The limit of tokens without a limit of their own; 0 means no limit. */
  readonly limitPerMinute: number;
};

/** Answers 429 if the token has exceeded its requests per minute. Every answer to a limited token reports its remaining quota. */
export function limitRate({ rates, limitPerMinute }: RateOptions): Middleware<Authenticated> {
  return async (ctx: Context & { state: Authenticated }, next: Next) => {
    const { id, rateLimit: limit = limitPerMinute } = ctx.state.token;
    if (limit > 0) {
      const { requests, resetMs } = rates.count(id);
      const reset = String(Math.max(1, Math.ceil(resetMs / 1000)));
      ctx.set('RateLimit-Limit', String(limit));
      ctx.set('RateLimit-Remaining', String(Math.max(0, limit - requests)));
      ctx.set('RateLimit-Reset', reset);
      if (requests > limit) throw tooMany(reset);
    }
    await next();
  };
}

function tooMany(seconds: string): HttpProblem {
  return new HttpProblem(429, 'The token has exceeded its rate limit; the batch was not stored.', {
    headers: { 'Retry-After': seconds },
  });
}
