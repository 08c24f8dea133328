import type { Context } from 'koa';
import { readQuery } from '#base/http';
import { type Cookies, cookieNames, readCookie } from '../../../http/requests/cookies.ts';
import { stateOf } from '../secrets.ts';
import { setCookie } from './set-cookie.ts';

/** How long somebody may take at the provider. */
const SECONDS = 600;
/** Of one browser, so that the cookies of all of them take less than a kilobyte. */
const MAX_BEGUN = 8;
const NAME_DIGITS = 12;

/** The sign-ins that a browser has begun. Each has a cookie of its own, so that one tab does not end the sign-in of another. */
export function createBegunSignIns(cookies: Cookies) {
  const nameOf = (state: string): string => `${cookies.signIns}${state.slice(0, NAME_DIGITS)}`;
  const set = (ctx: Context, name: string, value: string): void => {
    setCookie(ctx, cookies, { name, value, seconds: value === '' ? 0 : SECONDS, isHidden: true });
  };
  return {
    /** Remembers a sign-in. The oldest ones beyond MAX_BEGUN end. */
    begin(ctx: Context, secret: string): void {
      const begun = cookieNames(ctx.headers).filter((name) => isOfSignIn(name, cookies));
      for (const name of begun.slice(0, Math.max(0, begun.length + 1 - MAX_BEGUN))) set(ctx, name, '');
      set(ctx, nameOf(stateOf(secret)), secret);
    },

    /** Ends the sign-in of the callback, and returns its secret; undefined if this browser has not begun it. */
    end(ctx: Context): string | undefined {
      const { state } = readQuery(ctx.querystring);
      if (typeof state !== 'string') return undefined;
      const name = nameOf(state);
      const secret = readCookie(ctx.headers, name);
      if (secret === undefined || stateOf(secret) !== state) return undefined;
      set(ctx, name, '');
      return secret;
    },
  };
}

/** A name that we gave. Others must not come back in our answer. */
function isOfSignIn(name: string, { signIns }: Cookies): boolean {
  return name.startsWith(signIns) && /^[0-9a-f]{12}$/.test(name.slice(signIns.length));
}
