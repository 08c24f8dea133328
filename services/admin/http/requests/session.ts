import type { Context } from 'koa';
import type { TokenVerifier } from '#base/auth';
import { HttpProblem, readToken } from '#base/http';
import { type ApiToken, type Caller, callerOf, hashSecret } from '#base/tokens';
import { CSRF_HEADER, type Cookies, csrfTokenOf, readCookie } from './cookies.ts';

export type SessionAccess = {
  /** Verifies the secrets of sessions only, never those of tokens. */
  readonly verifier: TokenVerifier;
  readonly cookies: Cookies;
  /** The origin of the console, whose pages alone may change anything with a cookie. */
  readonly origin: string;
};

type Request = Pick<Context, 'headers' | 'ip' | 'method'>;

/** The person whose session the cookie names; undefined without a cookie. Throws a 401 for an ended session, and a 403 for a forgery. */
export async function identifySession(
  { verifier, cookies, origin }: SessionAccess,
  { headers, ip, method }: Request,
): Promise<{ readonly caller: Caller; readonly token: ApiToken } | undefined> {
  const secret = readCookie(headers, cookies.session);
  if (secret === undefined) return undefined;
  const token = await readToken(verifier, { headers: { authorization: secret }, ip });
  const caller = token && callerOf(token);
  if (token === undefined || caller === undefined)
    throw new HttpProblem(401, 'The session has ended. Sign in again.');
  if (method !== 'GET' && method !== 'HEAD') checkForgery({ headers, secret, origin });
  return { caller, token };
}

type Change = Pick<Request, 'headers'> & { readonly secret: string; readonly origin: string };

/** A browser adds the cookie to requests of other pages too. It lets none of them choose the origin, or read the token. */
function checkForgery({ headers, secret, origin }: Change): void {
  if (headers.origin !== origin)
    throw new HttpProblem(403, `A session can change something only from pages of ${origin}.`);
  // Of hashes, because the time to compare them reveals nothing.
  if (hashSecret(String(headers[CSRF_HEADER])) !== hashSecret(csrfTokenOf(secret)))
    throw new HttpProblem(403, 'A change by a session needs its CSRF token in the header X-CSRF-Token.');
}
