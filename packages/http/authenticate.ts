import type { Context, Middleware, Next } from 'koa';
import type { TokenVerifier } from '#auth';
import type { ApiToken } from '#tokens';
import { addressOf } from './address.ts';
import { HttpProblem } from './problems.ts';

export type Authenticated = { token: ApiToken };

/** Rejects a request unless its Authorization header carries a token that `isAllowed` accepts. Stores the token in the state. */
export function authenticate(
  tokens: TokenVerifier,
  isAllowed: (token: ApiToken) => boolean,
): Middleware<Authenticated> {
  return async (ctx: Context & { state: Authenticated }, next: Next) => {
    if (ctx.get('authorization') === '')
      throw new HttpProblem(401, 'Send an API token in the Authorization header.');
    const token = await readToken(tokens, ctx);
    if (token === undefined) throw new HttpProblem(401, 'The API token is not valid.');
    ctx.state.token = token;
    if (!isAllowed(token)) throw new HttpProblem(403, 'This token does not have the permission.');
    await next();
  };
}

/** Returns the token of the Authorization header; undefined if it is not valid. Throws a 503 while tokens cannot be verified. */
export async function readToken(
  tokens: TokenVerifier,
  { headers, ip }: Pick<Context, 'headers' | 'ip'>,
): Promise<ApiToken | undefined> {
  const verification = await tokens.verify(headers.authorization ?? '', addressOf(ip));
  // A failure on our side must never be a 4xx, because a relay would drop its data.
  if (verification === 'unavailable') {
    throw new HttpProblem(503, 'Tokens cannot be verified at the moment.', {
      headers: { 'Retry-After': '5' },
    });
  }
  return verification === 'unknown' ? undefined : verification.token;
}
