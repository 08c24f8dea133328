import { type ReadonlySignal, signal } from '@preact/signals';

/** Where the session storage keeps it. */
export const TOKEN_KEY = 'flagmeter.token';

/** How the server knows who sends a request: by a token, by the cookie of a session, or not at all while AUTH_TYPE is none. */
export type Credential =
  | { readonly kind: 'token'; readonly secret: string }
  | typeof BY_COOKIE
  | typeof NOBODY;

const BY_COOKIE = { kind: 'session' } as const;
const NOBODY = { kind: 'none' } as const;

export type AuthType = 'token' | 'oidc' | 'none';

export type Session = {
  readonly authType: AuthType;
  /** Undefined while nobody is signed in. */
  readonly credential: ReadonlySignal<Credential | undefined>;
  /** Why the last session ended, if it did not end by signing out. */
  readonly endedBecause: ReadonlySignal<string | undefined>;
  /** Signs in with a token. */
  readonly signIn: (token: string) => void;
  /** Goes on with the session of this browser. */
  readonly resume: () => void;
  /** Whether this browser has a session, which may have ended. */
  readonly hasCookie: () => boolean;
  readonly signOut: (reason?: string) => void;
  /** Ends the session, because the server does not accept it any more. */
  readonly expire: () => void;
  /** What to send with a request, beside cookies. */
  readonly headers: () => Record<string, string>;
};

type Page = {
  readonly sessionStorage: Storage;
  readonly document: { readonly cookie: string };
};

/** A token stays in this browser tab and ends with it. All tabs share the session of a person who signed in. */
export function createSession({ sessionStorage, document }: Page, authType: AuthType): Session {
  const credential = signal(readCredential());
  const endedBecause = signal<string | undefined>(undefined);
  const signOut = (reason?: string): void => {
    sessionStorage.removeItem(TOKEN_KEY);
    endedBecause.value = reason;
    credential.value = undefined;
  };
  return {
    authType,
    credential,
    endedBecause,
    signIn(secret) {
      sessionStorage.setItem(TOKEN_KEY, secret);
      endedBecause.value = undefined;
      credential.value = { kind: 'token', secret };
    },
    resume() {
      endedBecause.value = undefined;
      credential.value = BY_COOKIE;
    },
    hasCookie: () => csrfTokenIn(document.cookie) !== undefined,
    signOut,
    expire() {
      signOut(
        credential.peek()?.kind === 'session'
          ? 'Your session has ended. Sign in again.'
          : 'This token is not valid any more. It was revoked, or it expired.',
      );
    },
    headers() {
      const current = credential.peek();
      if (current?.kind === 'token') return { authorization: current.secret };
      // Another tab may have signed in since.
      return current?.kind === 'session' ? { 'x-csrf-token': csrfTokenIn(document.cookie) ?? '' } : {};
    },
  };

  function readCredential(): Credential | undefined {
    if (authType === 'none') return NOBODY;
    const secret = sessionStorage.getItem(TOKEN_KEY);
    if (secret !== null) return { kind: 'token', secret };
    return authType === 'oidc' && csrfTokenIn(document.cookie) !== undefined ? BY_COOKIE : undefined;
  }
}

/** The CSRF token, which a browser has as long as somebody is signed in. */
export function csrfTokenIn(cookies: string): string | undefined {
  return /(?:^|; )(?:__Host-)?flagmeter-csrf=([0-9a-f]{64})(?:;|$)/.exec(cookies)?.[1];
}
