import type { TokenVerifier } from '#base/auth';
import type { ApiToken } from '#base/tokens';
import { addressOf } from './addresses/address.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problems/problems.ts';

/** Returns the token of the Authorization header. Throws a 401 or 403 unless `isAllowed` accepts it. */
export async function authenticate(
  tokens: TokenVerifier,
  ctx: Exchange,
  isAllowed: (token: ApiToken) => boolean,
): Promise<ApiToken> {
  if (ctx.get('authorization') === '')
    throw new HttpProblem(401, 'Send an API token in the Authorization header.', {
      bodyProblem: 'no_token',
    });
  const token = await readToken(tokens, ctx);
  if (token === undefined) throw new HttpProblem(401, 'The API token is not valid.');
  if (!isAllowed(token)) throw new HttpProblem(403, 'This token does not have the permission.');
  return token;
}

/** Returns the token of the Authorization header; undefined if it is not valid. Throws a 503 while tokens cannot be verified. */
export async function readToken(
  tokens: TokenVerifier,
  { headers, ip }: Pick<Exchange, 'headers' | 'ip'>,
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
