import type { IncomingHttpHeaders } from 'node:http';
import { hashSecret } from '#base/tokens';

/** The cookies of people who sign in. */
export type Cookies = {
  /** Its secret identifies the session. No script can read it. */
  readonly session: string;
  /** The CSRF token of the session, for scripts of the console. It also tells them that somebody is signed in. */
  readonly csrf: string;
  /** The beginning of the names of those with the secrets of sign-ins that have begun, one for each. */
  readonly signIns: string;
  /** The attributes of each of them. */
  readonly attributes: string;
};

/**
 * Browsers accept names with `__Host-` only over https, from this host alone and for all of its paths. Over http, which is for this
 * machine only, the names are plain, because not every browser accepts secure cookies there.
 */
export function cookiesOf(consoleUrl: string): Cookies {
  const isSecure = consoleUrl.startsWith('https:');
  const prefix = isSecure ? '__Host-flagmeter' : 'flagmeter';
  return {
    session: `${prefix}-session`,
    csrf: `${prefix}-csrf`,
    signIns: `${prefix}-sign-in-`,
    attributes: `; Path=/; SameSite=Lax${isSecure ? '; Secure' : ''}`,
  };
}

type CookieHeader = Pick<IncomingHttpHeaders, 'cookie'>;

/** The value of a cookie; undefined if the request has none, or two of this name, because one of them may come from a stranger. */
export function readCookie(headers: CookieHeader, name: string): string | undefined {
  const values = pairsIn(headers).filter(([known]) => known === name);
  const [, value = ''] = values[0] ?? [];
  return values.length === 1 && value !== '' ? value : undefined;
}

/** The names of cookies, the oldest first: https://www.rfc-editor.org/rfc/rfc6265#section-5.4 */
export function cookieNames(headers: CookieHeader): string[] {
  return pairsIn(headers).map(([name]) => name);
}

function pairsIn({ cookie = '' }: CookieHeader): (readonly [name: string, value: string])[] {
  return cookie.split(';').map((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return [name, value.join('=')];
  });
}

/** The header of changes that a cookie authorises. */
export const CSRF_HEADER = 'x-csrf-token';

/** Only someone who knows the secret of the session can make it, and it reveals nothing about the secret. */
export function csrfTokenOf(sessionSecret: string): string {
  return hashSecret(`csrf ${sessionSecret}`);
}
