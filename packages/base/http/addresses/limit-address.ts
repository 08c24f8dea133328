import type { Context, Middleware, Next } from 'koa';
import { createRecent } from '#base/runtime';
import { addressOf } from './address.ts';
import { HttpProblem } from '../problems/problems.ts';

/** The number of addresses that we remember at the same time. */
const MAX_ADDRESSES = 10_000;

export type AddressLimit = { readonly max: number; readonly windowMs: number };

/** The budget of each address per window. A window begins with the first spending after the previous one. */
export type AddressBudget = {
  /** Throws a 429 if the budget is spent. */
  check(address: string): void;
  spend(address: string, amount: number): void;
};

/** `endsAt` by `performance.now()`: a clock that goes back makes no window longer. */
type Window = { spent: number; readonly endsAt: number };

export function createAddressBudget({ max, windowMs }: AddressLimit): AddressBudget {
  const windows = createRecent<Window>({ maxSize: MAX_ADDRESSES, maxAgeMs: windowMs });
  return {
    check(address) {
      const window = windows.get(address);
      if (window === undefined || window.spent < max) return;
      const seconds = Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000));
      throw new HttpProblem(429, 'Too many requests from this address.', {
        headers: { 'Retry-After': String(seconds) },
      });
    },
    spend(address, amount) {
      const window = windows.get(address);
      if (window === undefined) windows.set(address, { spent: amount, endsAt: performance.now() + windowMs });
      else window.spent += amount;
    },
  };
}

/** Limits the requests of each address. It is for large answers that need no token. */
export function limitAddress(limit: AddressLimit): Middleware {
  const budget = createAddressBudget(limit);
  return async (ctx: Context, next: Next) => {
    const address = addressOf(ctx.ip);
    budget.check(address);
    budget.spend(address, 1);
    await next();
  };
}
