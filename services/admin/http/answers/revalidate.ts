import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isJsonRead } from './reads.ts';
import type { TypedMiddleware } from '../typed-middleware.ts';

/**
 * Gives reads an ETag, unless the operation has set one, and answers 304 to `If-None-Match`. The ETag is weak, because the same
 * content may be compressed or not. Lists that are still being read have none.
 */
export const revalidate: TypedMiddleware = async (ctx, next) => {
  await next();
  if (!isJsonRead(ctx)) return;
  if (!(ctx.body instanceof Readable)) {
    const content = bytesOf(ctx.body);
    ctx.body = content;
    if (!ctx.res.hasHeader('ETag')) ctx.set('ETag', weakTagOf(content));
  }
  if (ctx.fresh) ctx.status = 304;
};

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function weakTagOf(content: Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}
