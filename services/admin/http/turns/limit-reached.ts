import { HttpProblem } from '#base/http';

/** The limits of one caller, as the metrics name them. */
export type CallerLimit = 'daily_writes' | 'open_lists' | 'waiting';

/** A 429: the caller has reached a limit that leaves room for others. */
export class LimitReached extends HttpProblem {
  readonly limit: CallerLimit;

  constructor(limit: CallerLimit, message: string, retryAfterSeconds: number) {
    super(429, message, { headers: { 'Retry-After': String(retryAfterSeconds) } });
    this.limit = limit;
  }
}

export function tooManyOfCaller(): LimitReached {
  return new LimitReached(
    'waiting',
    'Too many of your requests wait for their turn. Wait for their answers first.',
    1,
  );
}
