import { Readable, pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { isJsonRead } from './reads.ts';
import type { TypedMiddleware } from '../typed-middleware.ts';

/** Shorter answers fit into one packet anyway. */
const MIN_BYTES = 1024;
/** The maximum number of answers that are compressed at the same time. Each needs 256 KiB. Further ones are sent as they are. */
const MAX_AT_ONCE = 16;

const gzipBuffer = promisify(gzip);

/**
 * Compresses reads with gzip, in the threads of zlib. An attacker who chooses a part of an answer could guess another part by the
 * compressed length (BREACH). So answers with secrets must not be compressed: only changes show secrets, and they are no reads.
 * An answer with a strong ETag stays as it is, because that ETag names its bytes. Brotli of the same speed was measured: the answers
 * are as long, and each needs 1.6 MB.
 */
export function compress(): TypedMiddleware {
  let running = 0;
  return async (ctx, next) => {
    await next();
    if (!isJsonRead(ctx)) return;
    ctx.vary('Accept-Encoding');
    if (!isWorthIt(ctx) || running >= MAX_AT_ONCE) return;
    running += 1;
    const { body } = ctx;
    if (body instanceof Readable) {
      ctx.body = pipeline(body, createGzip(), () => {
        // Koa reports an error to the log, and cuts the answer off.
        running -= 1;
      });
    } else {
      try {
        ctx.body = await gzipBuffer(body as Buffer); // revalidate has made it one
      } finally {
        running -= 1;
      }
    }
    ctx.set('Content-Encoding', 'gzip');
  };
}

function isWorthIt(ctx: Context): boolean {
  const isLong = ctx.body instanceof Readable || (Buffer.isBuffer(ctx.body) && ctx.body.length >= MIN_BYTES);
  const isStrong = String(ctx.res.getHeader('ETag')).startsWith('"');
  return isLong && !isStrong && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
}
