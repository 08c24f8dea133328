import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Router from '@koa/router';
import type { Context } from 'koa';
import { limitAddress } from '#base/http';

/** No inline script or style, no other origin. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Thirty times what a browser loads at once, without a token. */
const LIMIT = { max: 100, windowMs: 10_000 };

type Encoding = 'br' | 'gzip' | 'identity';
type File = {
  readonly name: string;
  readonly type: string;
  readonly contents: Readonly<Record<Encoding, Buffer>>;
};

/**
 * Serves the console at `/`, from the folder that tools/console/build.ts wrote. Undefined if the folder does not exist,
 * as in a process that runs from source.
 */
export function createConsoleRouter(folder: string, authType: 'token' | 'oidc' | 'none'): Router | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined;
  const router = new Router();
  // Shared by both routes.
  const limit = limitAddress(LIMIT);
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace(
    'data-auth="token"',
    `data-auth="${authType}"`,
  );
  router.get('/', limit, (ctx) => {
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cache-Control', 'no-cache');
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page;
  });
  const files = new Map(readFiles(folder).map((file) => [file.name, file]));
  // One route for all files, because routes are labels of metrics and every build gives the files other names.
  router.get('/console/:file', limit, (ctx, next) => {
    const file = files.get(ctx.params['file'] ?? '');
    if (file === undefined) return next();
    send(ctx, file);
    return undefined;
  });
  return router;
}

/** Read once, so that slow clients share one copy in memory. */
function readFiles(folder: string): File[] {
  return readdirSync(folder)
    .filter((name) => /\.(js|css|txt)$/.test(name))
    .map((name) => {
      const file = join(folder, name);
      return {
        name,
        type: TYPES[name.slice(name.lastIndexOf('.'))] ?? '',
        contents: {
          br: readFileSync(`${file}.br`),
          gzip: readFileSync(`${file}.gz`),
          identity: readFileSync(file),
        },
      };
    });
}

/** The name of the file contains a hash of its content. */
function send(ctx: Context, { type, contents }: File): void {
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
  ctx.set('Content-Type', type);
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.vary('Accept-Encoding');
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = contents[encoding as Encoding];
}
