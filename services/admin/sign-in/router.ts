import Router from '@koa/router';
import type { Context } from 'koa';
import { HttpProblem, addressOf, limitAddress } from '#http';
import { type Config, type Log, Room } from '#runtime';
import { createSessionSecret } from '#tokens';
import type { Performer } from '../http/perform.ts';
import { type Cookies, csrfTokenOf, readCookie } from '../http/requests/cookies.ts';
import type { NoteRejection } from '../http/requests/rejections.ts';
import type { TypedMiddleware } from '../http/typed-middleware.ts';
import type { SessionsStore } from '../sessions/store.ts';
import type { Announce } from '../tokens/operations.ts';
import { type Trouble, showTrouble } from './page.ts';
import { CALLBACK_PATH, type Provider, ProviderError, type ProviderFailure } from './provider.ts';
import { type Person, projectRolesOf, roleOf } from './rules.ts';
import type { SignIns } from './store.ts';

export type SignInOptions = {
  readonly settings: NonNullable<Config['auth']['oidc']> & Config['auth']['sessions'];
  readonly provider: Provider;
  readonly signIns: SignIns;
  readonly sessions: Pick<SessionsStore, 'revoke'>;
  readonly cookies: Cookies;
  readonly performer: Pick<Performer, 'admit'>;
  readonly announce: Announce;
  /** Whether the error means that Postgres is unreachable or too slow. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly noteRejection: NoteRejection;
  readonly log: Log;
};

const SIGN_OUT = { id: 'signOut', permission: 'MANAGE_OWN', scope: 'installation' } as const;

/** Each asks the provider and Postgres. A page of an honest browser needs two. */
const LIMIT = { max: 100, windowMs: 10_000 };
const AT_ONCE = { each: 20, all: 50 };
/** As the audit names it. Whoever signs in is not known yet. */
const SIGN_IN = { id: 'signIn', method: 'post' } as const;
/** How long somebody may take at the provider. */
const SIGN_IN_SECONDS = 600;

/** Serves the sign-in by an identity provider, and the sign-out. */
export function createSignInRouter(options: SignInOptions): Router {
  const { cookies, provider, performer, log } = options;
  const router = new Router();
  const guards = [limitAddress(LIMIT), withoutTraces, showTroubles(options)];
  const inRoom = createInRoom();

  router.get('/sign-in', ...guards, async (ctx) => {
    const secret = createSessionSecret();
    const url = await inRoom(ctx, () => provider.beginAt(secret));
    setCookie(ctx, cookies, {
      name: cookies.signIn,
      value: secret,
      seconds: SIGN_IN_SECONDS,
      isHidden: true,
    });
    ctx.redirect(url.href);
  });

  router.get(CALLBACK_PATH, ...guards, async (ctx) => {
    const secret = readCookie(ctx.headers, cookies.signIn);
    setCookie(ctx, cookies, { name: cookies.signIn, value: '', seconds: 0, isHidden: true });
    if (secret === undefined) throw new Refused(NOT_BEGUN);
    await inRoom(ctx, async () => {
      await finish(ctx, await provider.identify(ctx.querystring, secret), options);
    });
    ctx.redirect(`${options.settings.consoleUrl}/`);
  });

  router.post('/sign-out', withoutTraces, async (ctx) => {
    const { caller, token } = await performer.admit(ctx, SIGN_OUT);
    if (token?.type !== 'session') throw new HttpProblem(400, 'Only a session can be signed out.');
    await options.sessions.revoke(token.id, { caller });
    await options.announce([token.id]);
    log.info({ userId: caller.userId, sessionId: token.id }, 'signed out');
    for (const name of [cookies.session, cookies.csrf])
      setCookie(ctx, cookies, { name, value: '', seconds: 0, isHidden: name === cookies.session });
    ctx.body = { endSessionUrl: (await provider.endSessionAt())?.href ?? null };
  });
  return router;
}

/** Gives the person a session, if a group gives them a role. The secret is new, so no one else can know it. */
async function finish(ctx: Context, person: Person, options: SignInOptions): Promise<void> {
  const { settings, cookies, signIns, announce, log } = options;
  const { issuer, subject } = person;
  const address = addressOf(ctx.ip);
  const projectRoles = projectRolesOf(person.groups, settings.projectRoles);
  const role = roleOf(person.groups, settings.roles) ?? (projectRoles.length > 0 ? 'None' : undefined);
  if (role === undefined) {
    await announce(await signIns.end(person, address));
    log.warn({ issuer, subject, groups: person.groups.length }, 'sign-in refused: no group has a role');
    throw new Refused(NO_ROLE, person);
  }
  const secret = createSessionSecret();
  const oldSecret = readCookie(ctx.headers, cookies.session);
  const signedIn = await signIns.begin({ person, role, projectRoles, secret, oldSecret, address });
  if (signedIn === 'name taken') {
    log.warn({ issuer, subject }, 'sign-in refused: another user has the name');
    throw new Refused(NAME_TAKEN, person);
  }
  await announce(signedIn.changed);
  const { user, sessionId, ignored } = signedIn;
  if (ignored.length > 0)
    log.warn(
      { roles: ignored },
      'OIDC_PROJECT_ROLES names a project, role or environment that does not exist',
    );
  log.info({ userId: user.id, sessionId, role, address }, 'signed in');
  const seconds = settings.maxMs / 1000;
  setCookie(ctx, cookies, { name: cookies.session, value: secret, seconds, isHidden: true });
  setCookie(ctx, cookies, { name: cookies.csrf, value: csrfTokenOf(secret), seconds, isHidden: false });
}

type Cookie = {
  readonly name: string;
  readonly value: string;
  /** 0 removes it. */
  readonly seconds: number;
  /** Whether no script may read it. */
  readonly isHidden: boolean;
};

function setCookie(ctx: Context, { attributes }: Cookies, { name, value, seconds, isHidden }: Cookie): void {
  const hidden = isHidden ? '; HttpOnly' : '';
  ctx.append('Set-Cookie', `${name}=${value}; Max-Age=${seconds}${attributes}${hidden}`);
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

class Refused extends Error {
  readonly trouble: Trouble;
  /** Undefined if the provider has not named anybody. */
  readonly person: Person | undefined;

  constructor(trouble: Trouble, person?: Person) {
    super(trouble.title);
    this.trouble = trouble;
    this.person = person;
  }
}

/** People see a page, not the JSON of the API. */
function showTroubles({ log, isUnavailable, noteRejection }: SignInOptions): TypedMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { issuer, subject } = (error instanceof Refused && error.person) || {};
      const parameters = issuer === undefined || subject === undefined ? {} : { issuer, subject };
      const note = (status: Trouble['status']) => {
        const reason = error instanceof Error ? error.message : '';
        noteRejection({ from: ctx, operation: SIGN_IN, parameters }, new HttpProblem(status, reason));
      };
      if (error instanceof Refused) {
        note(error.trouble.status);
        showTrouble(ctx, error.trouble);
      } else if (error instanceof ProviderError) {
        log.warn({ failure: error.failure, reason: error.message }, 'sign-in failed');
        note(TROUBLES[error.failure].status);
        showTrouble(ctx, TROUBLES[error.failure]);
      } else if (isUnavailable(error)) {
        log.warn({ err: error }, 'sign-in failed');
        showTrouble(ctx, NO_DATABASE);
      } else throw error;
    }
  };
}

const NOT_BEGUN: Trouble = {
  status: 400,
  title: 'This sign-in did not begin here',
  advice: 'It took longer than ten minutes, began in another browser, or was finished before.',
};

const NO_ROLE: Trouble = {
  status: 403,
  title: 'Your account may not use flagmeter',
  advice:
    'It is in none of the groups that have a role. Ask those who manage the groups of your identity provider.',
};

const NAME_TAKEN: Trouble = {
  status: 409,
  title: 'flagmeter has another user with your e-mail address or name',
  advice: 'An Admin can delete that user. What it did keeps its name.',
};

const NO_DATABASE: Trouble = {
  status: 503,
  title: 'flagmeter cannot reach its database',
  advice: 'Try again in a minute.',
};

const BUSY: Trouble = {
  status: 503,
  title: 'Too many people sign in at the moment',
  advice: 'Try again in a few seconds.',
};

const TROUBLES: Readonly<Record<ProviderFailure, Trouble>> = {
  away: {
    status: 503,
    title: 'The identity provider cannot be reached',
    advice: 'Try again in a minute. People who are signed in already are not affected.',
  },
  denied: {
    status: 403,
    title: 'The identity provider did not sign you in',
    advice: 'You may have cancelled, or the provider does not allow your account to use flagmeter.',
  },
  invalid: {
    status: 400,
    title: 'The answer of the identity provider is not valid',
    advice: 'Sign in again. If it stays, the log of flagmeter says what is wrong.',
  },
};
