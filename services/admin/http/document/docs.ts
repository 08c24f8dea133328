import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import Router from '@koa/router';
import { limitAddress } from '#base/http';
import { projectRoot } from '#base/runtime';
import type { Operation } from '../operation.ts';
import { createDocument } from './openapi.ts';

/** `make build` copies the files of Swagger UI there. Services that run from source read them from its package. */
const BUILT = join(projectRoot(import.meta.dirname), 'dist/api-viewer');

/** The files of Swagger UI that the page loads, with their content types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>flagmeter admin API</title>
    <link rel="icon" type="image/png" href="favicon-32x32.png" />
    <link rel="stylesheet" href="swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="swagger-ui-bundle.js"></script>
    <script src="start.js"></script>
  </body>
</html>
`;

// No validator badge, because it would send the address of the document to a foreign server.
const START = `SwaggerUIBundle({
  url: '../openapi.json',
  dom_id: '#swagger-ui',
  validatorUrl: null,
  deepLinking: true,
});
`;

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Twenty times what a browser loads at once. The files of the page are the largest answers that callers get without a token. */
const LIMIT = { max: 100, windowMs: 10_000 };

/** Serves the OpenAPI document and Swagger UI from our own origin. */
export function createDocsRouter(operations: readonly Operation[]): Router {
  const document = Buffer.from(JSON.stringify(createDocument(operations)));
  const router = new Router();
  router.use(limitAddress(LIMIT));
  router.get('/docs/openapi.json', (ctx) => {
    ctx.type = 'application/json';
    ctx.body = document;
  });
  router.get('/docs/openapi', (ctx) => {
    // The page uses relative URLs for its files, so that a proxy may serve it under another path.
    if (!ctx.path.endsWith('/')) {
      ctx.redirect('openapi/');
      return;
    }
    ctx.set('Content-Security-Policy', POLICY);
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = PAGE;
  });
  router.get('/docs/openapi/start.js', (ctx) => {
    ctx.type = 'text/javascript; charset=utf-8';
    ctx.body = START;
  });
  const require = createRequire(import.meta.url);
  const directory = existsSync(BUILT) ? BUILT : dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const [name, type] of Object.entries(ASSETS)) {
    // Read once, so that slow clients share one copy in memory.
    const content = readFileSync(join(directory, name));
    router.get(`/docs/openapi/${name}`, (ctx) => {
      ctx.set('Content-Type', type);
      ctx.set('Cache-Control', 'public, max-age=3600');
      ctx.body = content;
    });
  }
  return router;
}
