import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import Router from '@koa/router';
import { limitAddress } from '#base/http';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Twenty times what a browser loads at once, without a token. */
const LIMIT = { max: 100, windowMs: 10_000 };

/**
 * Serves the documents of this version at `/help/`, from the folder that tools/site/site.ts wrote. Undefined if the folder does not exist,
 * as in a process that runs from source.
 */
export function createHelpRouter(folder: string): Router | undefined {
  if (!existsSync(join(folder, 'index.html.gz'))) return undefined;
  const names = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.gz'))
      .map((name) => name.slice(0, -'.gz'.length)),
  );
  const read = readOnce();
  const router = new Router({ strict: true });
  const limit = limitAddress(LIMIT);
  router.get('/help', limit, (ctx) => {
    ctx.redirect('help/');
  });
  router.get('/help/{*file}', limit, async (ctx, next) => {
    const file = (ctx.params['file'] ?? '') || 'index.html';
    if (!names.has(file)) {
      await next();
      return;
    }
    const isSmall = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Cache-Control', 'no-cache');
    ctx.vary('Accept-Encoding');
    if (isSmall) ctx.set('Content-Encoding', 'gzip');
    ctx.type = TYPES[extname(file)] ?? '';
    const small = await read(join(folder, `${file}.gz`));
    ctx.body = isSmall ? small : await promisify(gunzip)(small);
  });
  return router;
}

/** Keeps what somebody has read, so that slow clients share one copy in memory. All files together have about 600 kB. */
function readOnce(): (file: string) => Promise<Buffer> {
  const files = new Map<string, Promise<Buffer>>();
  return (file) => {
    const known = files.get(file) ?? readFile(file);
    files.set(file, known);
    return known;
  };
}
