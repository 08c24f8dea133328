import type { Context } from 'koa';
import type { TokenVerifier } from '#base/auth';
import { HttpProblem, readToken } from '#base/http';
import { ANYBODY, type ApiToken, type Caller, callerOf } from '#base/tokens';
import { type SessionAccess, identifySession } from './session.ts';
import { checkOrigin } from './origin.ts';

export type Identification = {
  readonly authType: 'token' | 'oidc' | 'none';
  /** Accepted Host names while no token is required. */
  readonly hosts: readonly string[];
  /** Origins of other web pages that may call the API. */
  readonly origins: readonly string[];
  readonly tokens: TokenVerifier;
  /** Undefined unless people sign in. */
  readonly sessions: SessionAccess | undefined;
};

export type Identity = {
  readonly caller: Caller;
  /** Undefined while AUTH_TYPE is none: then the caller needs no token, and a token changes nothing. */
  readonly token: ApiToken | undefined;
};

const NOBODY_IN_PARTICULAR: Identity = { caller: ANYBODY, token: undefined };

/**
 * Identifies the caller by the Authorization header, or else by the cookie of a session. Throws a 401 for an unknown caller, and
 * a 403 for a token of another type or a request that a foreign web page may have sent.
 */
export async function identify(
  { authType, tokens, sessions, hosts, origins }: Identification,
  request: Pick<Context, 'headers' | 'ip' | 'method'>,
): Promise<Identity> {
  const isOpen = authType === 'none';
  const { headers } = request;
  // If no token is required, only the headers of browsers keep foreign web pages out.
  if (isOpen) checkOrigin(headers, { hosts, origins });
  if ((headers.authorization ?? '') === '') {
    if (isOpen) return NOBODY_IN_PARTICULAR;
    const identity = sessions && (await identifySession(sessions, request));
    if (identity !== undefined) return identity;
    throw new HttpProblem(401, 'Send an ADMIN token or a personal token in the Authorization header.');
  }
  const token = await readToken(tokens, request);
  if (token === undefined) {
    if (isOpen) return NOBODY_IN_PARTICULAR;
    throw new HttpProblem(401, 'The token is not valid.');
  }
  const caller = callerOf(token);
  if (caller === undefined)
    throw new HttpProblem(403, 'The admin API accepts only ADMIN and personal tokens.');
  return isOpen ? NOBODY_IN_PARTICULAR : { caller, token };
}
