import type Router from '@koa/router';
import { type Credentials, createTokenVerifier } from '#base/auth';
import type { Config, Log } from '#base/runtime';
import type { Performer } from '../../http/perform.ts';
import { cookiesOf } from '../../http/requests/cookies.ts';
import type { NoteRejection } from '../../http/requests/rejections.ts';
import type { SessionAccess } from '../../http/requests/session.ts';
import type { Announce } from '../tokens/operations.ts';
import { createSessionsStore } from '../sessions/store.ts';
import { createProvider } from './provider.ts';
import { createSignInRouter } from './router.ts';
import { createSignInLog } from './sign-in-log.ts';
import { createSignIns } from './store.ts';

type Parts = Pick<Credentials, 'db' | 'revocations'> & {
  readonly config: Pick<Config, 'auth'>;
  readonly log: Log;
};

export type SignInParts = {
  readonly performer: Performer;
  readonly announce: Announce;
  readonly isUnavailable: (error: unknown) => boolean;
  readonly noteRejection: NoteRejection;
};

export type SignIn = {
  readonly access: SessionAccess;
  createRouter(parts: SignInParts): Router;
};

/** The sign-in of people; undefined unless AUTH_TYPE is oidc. */
export function openSignIn({ config, db, revocations, log }: Parts): SignIn | undefined {
  const { oidc, sessions: ends } = config.auth;
  if (oidc === undefined) return undefined;
  const cookies = cookiesOf(oidc.consoleUrl);
  if (oidc.consoleUrl.startsWith('http:'))
    log.warn(
      'CONSOLE_URL is http: the cookies of sessions are not marked as secure, which is for this machine only',
    );
  const sessions = createSessionsStore(db, ends.idleMs);
  const findTokens = (hashes: readonly string[]) => sessions.find(hashes);
  const access = {
    verifier: createTokenVerifier({ findTokens, revocations, log }),
    cookies,
    origin: new URL(oidc.consoleUrl).origin,
  };
  return {
    access,
    createRouter: (parts) =>
      createSignInRouter({
        ...parts,
        settings: { ...oidc, ...ends },
        provider: createProvider(oidc),
        signIns: createSignIns(db, ends),
        access,
        sessions,
        cookies,
        log,
        signInLog: createSignInLog(log),
      }),
  };
}
