import type { Context } from 'koa';
import type { Cookies } from '../../../http/requests/cookies.ts';

type Cookie = {
  readonly name: string;
  readonly value: string;
  /** 0 removes it. */
  readonly seconds: number;
  /** Whether no script may read it. */
  readonly isHidden: boolean;
};

export type Setting = Pick<Context, 'append'>;

export function setCookie(ctx: Setting, { attributes }: Cookies, cookie: Cookie): void {
  const { name, value, seconds, isHidden } = cookie;
  const hidden = isHidden ? '; HttpOnly' : '';
  ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${seconds}${attributes}${hidden}`);
}
