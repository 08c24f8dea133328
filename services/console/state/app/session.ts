import { type ReadonlySignal, signal } from '@preact/signals';

const KEY = 'flagmeter.token';

export type Session = {
  /** False while AUTH_TYPE is none. */
  readonly needsToken: boolean;
  readonly token: ReadonlySignal<string | undefined>;
  /** Why the last session ended, if it did not end by signing out. */
  readonly endedBecause: ReadonlySignal<string | undefined>;
  readonly signIn: (token: string) => void;
  readonly signOut: (reason?: string) => void;
  /** Ends the session, because the server does not accept its token any more. */
  readonly expire: () => void;
};

/** The token stays in this browser tab and ends with it. */
export function createSession(storage: Storage, needsToken: boolean): Session {
  const token = signal(storage.getItem(KEY) ?? undefined);
  const endedBecause = signal<string | undefined>(undefined);
  const signOut = (reason?: string): void => {
    storage.removeItem(KEY);
    endedBecause.value = reason;
    token.value = undefined;
  };
  return {
    needsToken,
    token,
    endedBecause,
    signIn(secret) {
      storage.setItem(KEY, secret);
      endedBecause.value = undefined;
      token.value = secret;
    },
    signOut,
    expire() {
      signOut('This token is not valid any more. It was revoked, or it expired.');
    },
  };
}
