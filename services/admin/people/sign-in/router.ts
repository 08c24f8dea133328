import Router from '@koa/router';
import type { Context } from 'koa';
import { HttpProblem, addressOf, limitAddress } from '#base/http';
import { Room } from '#base/runtime';
import { createSessionSecret } from '#base/tokens';
import type { Performer } from '../../http/perform.ts';
import { readCookie } from '../../http/requests/cookies.ts';
import type { SessionAccess } from '../../http/requests/session.ts';
import type { TypedMiddleware } from '../../http/typed-middleware.ts';
import type { SessionsStore } from '../sessions/store.ts';
import { createBegunSignIns } from './cookies/begun-sign-ins.ts';
import { type FinishOptions, finish } from './finish.ts';
import { CALLBACK_PATH, type Provider } from './provider.ts';
import { findSession, forgetSession, showSession } from './cookies/session-cookies.ts';
import { BUSY, NOT_BEGUN, type Parts, Refused, showTroubles } from './troubles.ts';

export type SignInOptions = FinishOptions &
  Parts & {
    readonly provider: Provider;
    readonly access: SessionAccess;
    readonly sessions: Pick<SessionsStore, 'revoke'>;
    readonly performer: Pick<Performer, 'admit'>;
  };

const SIGN_OUT = { id: 'signOut', permission: 'MANAGE_OWN', scope: 'installation' } as const;

/** Each asks the provider and Postgres. A page of an honest browser needs two. */
const LIMIT = { max: 100, windowMs: 10_000 };
const AT_ONCE = { each: 20, all: 50 };

/** Serves the sign-in by an identity provider, and the sign-out. Whoever has a session goes straight in, and keeps it. */
export function createSignInRouter(options: SignInOptions): Router {
  const { access, cookies, provider, settings } = options;
  const router = new Router();
  const guards = [limitAddress(LIMIT), withoutTraces, showTroubles(options)];
  const inRoom = createInRoom();
  const begun = createBegunSignIns(cookies);
  const isSignedIn = async (ctx: Context): Promise<boolean> => {
    const session = await findSession(ctx, access);
    if (session !== undefined) showSession(ctx, cookies, session);
    return session !== undefined;
  };

  router.get('/sign-in', ...guards, async (ctx) => {
    if (await isSignedIn(ctx)) {
      ctx.redirect(`${settings.consoleUrl}/`);
      return;
    }
    const secret = createSessionSecret();
    const url = await inRoom(ctx, () => provider.beginAt(secret));
    begun.begin(ctx, secret);
    ctx.redirect(url.href);
  });

  router.get(CALLBACK_PATH, ...guards, async (ctx) => {
    const secret = begun.end(ctx);
    if (!(await isSignedIn(ctx))) {
      if (secret === undefined) throw new Refused(NOT_BEGUN);
      await inRoom(ctx, async () => {
        await finish(ctx, await provider.identify(ctx.querystring, secret), options);
      });
    }
    ctx.redirect(`${settings.consoleUrl}/`);
  });

  router.post('/sign-out', withoutTraces, async (ctx) => {
    ctx.body = { endSessionUrl: (await signOut(ctx, options))?.href ?? null };
  });
  return router;
}

/** Returns where the browser ends its session at the provider. */
async function signOut(ctx: Context, options: SignInOptions): Promise<URL | undefined> {
  const { performer, sessions, signIns, cookies, provider, announce, log } = options;
  const { caller, token } = await performer.admit(ctx, SIGN_OUT);
  if (token?.type !== 'session') throw new HttpProblem(400, 'Only a session can be signed out.');
  const secret = readCookie(ctx.headers, cookies.session) ?? '';
  const idToken = await signIns.findIdToken(token.id, secret);
  await sessions.revoke(token.id, { caller });
  await announce([token.id]);
  log.info({ userId: caller.userId, sessionId: token.id }, 'signed out');
  forgetSession(ctx, cookies);
  return provider.endSessionAt(idToken);
}

/** The query of the callback has a code. No cache and no other page learns it. */
const withoutTraces: TypedMiddleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  await next();
};

/** Bounds the requests that wait for the provider. */
function createInRoom() {
  const room = new Room(AT_ONCE);
  return async <T>({ ip }: Context, work: () => Promise<T>): Promise<T> => {
    const address = addressOf(ip);
    if (!room.reserve(address)) throw new Refused(BUSY);
    try {
      return await work();
    } finally {
      room.giveBack(address);
    }
  };
}
