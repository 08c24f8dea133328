import type { Context } from 'koa';
import { HttpProblem } from '#base/http';
import { type Cookies, csrfTokenOf, readCookie } from '../../../http/requests/cookies.ts';
import { type SessionAccess, identifySession } from '../../../http/requests/session.ts';
import { setCookie } from './set-cookie.ts';

export type ShownSession = { readonly secret: string; readonly seconds: number };

/** The open session of the browser; undefined if it has none, or if that cannot be known at the moment. */
export async function findSession(
  { headers, ip }: Context,
  access: SessionAccess,
): Promise<ShownSession | undefined> {
  const secret = readCookie(headers, access.cookies.session);
  try {
    const identity = await identifySession(access, { headers, ip, method: 'GET' });
    if (secret === undefined || identity === undefined) return undefined;
    const endsAt = identity.token.expiresAt ?? 0;
    return { secret, seconds: Math.max(0, Math.round((endsAt - Date.now()) / 1000)) };
  } catch (error) {
    if (error instanceof HttpProblem) return undefined;
    throw error;
  }
}

/** Without the second cookie the console would not know of the session. */
export function showSession(ctx: Context, cookies: Cookies, { secret, seconds }: ShownSession): void {
  setCookie(ctx, cookies, { name: cookies.csrf, value: csrfTokenOf(secret), seconds, isHidden: false });
}

export function keepSession(ctx: Context, cookies: Cookies, session: ShownSession): void {
  const { secret: value, seconds } = session;
  setCookie(ctx, cookies, { name: cookies.session, value, seconds, isHidden: true });
  showSession(ctx, cookies, session);
}

export function forgetSession(ctx: Context, cookies: Cookies): void {
  for (const name of [cookies.session, cookies.csrf])
    setCookie(ctx, cookies, { name, value: '', seconds: 0, isHidden: name === cookies.session });
}
