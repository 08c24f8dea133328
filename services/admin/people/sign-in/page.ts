import type { Context } from 'koa';

/** Why somebody could not sign in, and what they can do. */
export type Trouble = {
  readonly status: 400 | 403 | 409 | 429 | 503;
  readonly title: string;
  readonly advice: string;
};

/** A page without scripts and styles, which no cache keeps. */
export function showTrouble(ctx: Context, { status, title, advice }: Trouble): void {
  ctx.status = status;
  if (status === 503) ctx.set('Retry-After', '10');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>flagmeter: sign-in</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <main>
      <h1>${textOf(title)}</h1>
      <p>${textOf(advice)}</p>
      <p><a href="${isCallback(ctx) ? '../../' : ''}sign-in">Sign in again</a></p>
    </main>
  </body>
</html>
`;
  ctx.set('Content-Security-Policy', POLICY);
}

const POLICY =
  "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function isCallback({ path }: Context): boolean {
  return path.split('/').length > 2;
}

function textOf(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
