import type { Context } from 'koa';

/** A middleware of Koa whose types have no `any`. */
export type TypedMiddleware = (ctx: Context, next: () => Promise<void>) => Promise<void>;
