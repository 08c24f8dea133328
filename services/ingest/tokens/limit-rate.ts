import type { Rates } from '#base/auth';
import { type Exchange, HttpProblem } from '#base/http';
import type { ApiToken } from '#base/tokens';

export type RateOptions = {
  readonly rates: Pick<Rates, 'count'>;
  /** The limit of tokens without their own limit; 0 means no limit. */
  readonly limitPerMinute: number;
};

/** Throws a 429 if the token has exceeded its requests per minute. Every answer to a limited token reports its remaining quota. */
export function createRateLimit({ rates, limitPerMinute }: RateOptions) {
  return (ctx: Exchange, { id, rateLimit: limit = limitPerMinute }: ApiToken): void => {
    if (limit === 0) return;
    const { requests, resetMs } = rates.count(id);
    const reset = String(Math.max(1, Math.ceil(resetMs / 1000)));
    ctx.set('RateLimit-Limit', String(limit));
    ctx.set('RateLimit-Remaining', String(Math.max(0, limit - requests)));
    ctx.set('RateLimit-Reset', reset);
    if (requests > limit) throw tooMany(reset);
  };
}

function tooMany(seconds: string): HttpProblem {
  return new HttpProblem(429, 'The token has exceeded its rate limit; the batch was not stored.', {
    headers: { 'Retry-After': seconds },
  });
}
