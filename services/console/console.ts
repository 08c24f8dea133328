import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Answers, createAnswers } from './api/requests/answers.ts';
import { type Api, createApi } from './api/requests/client.ts';
import { type Forms, createForms } from './state/app/forms.ts';
import { type Notice } from './state/app/notice.ts';
import { type Preferences, createPreferences } from './state/app/preferences.ts';
import { tokenIn } from './state/app/route.ts';
import { type Router, createRouter } from './state/app/router.ts';
import { goBack } from './state/app/place.ts';
import { type AuthType, type Session, createSession } from './state/app/session.ts';

/** Everything that the components share. */
export type Console = {
  readonly session: Session;
  readonly router: Router;
  readonly preferences: Preferences;
  readonly api: Api;
  readonly answers: Answers;
  readonly forms: Forms;
  /** The number of changes that this tab made. Everything shown is read again after each. */
  readonly changes: Signal<number>;
  /** The outcome of the last change, until it is dismissed. */
  readonly notice: Signal<Notice | undefined>;
};

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const found = useContext(ConsoleContext);
  if (found === undefined) throw new Error('the component is outside the console');
  return found;
}

export function createConsole(browser: Window): Console {
  const { documentElement } = browser.document;
  const session = createSession(browser, authTypeIn(documentElement.dataset));
  acceptLink(browser, session);
  if (session.credential.peek()?.kind === 'session') goBack(browser);
  // Before the router reads the place.
  browser.addEventListener('hashchange', () => {
    acceptLink(browser, session);
  });
  const answers = createAnswers();
  const notice = signal<Notice | undefined>(undefined);
  const changes = signal(0);
  const forms = createForms(browser);
  session.credential.subscribe((credential) => {
    // A touched form stays until its author has signed in again, with what lies behind it.
    if (forms.isTouched.peek() && (credential !== undefined || session.endedBecause.peek() !== undefined)) {
      if (credential !== undefined) changes.value += 1;
      return;
    }
    // What one caller may see, another may not.
    answers.clear();
    notice.value = undefined;
  });
  return {
    session,
    router: createRouter(browser, forms),
    preferences: createPreferences(browser.localStorage, documentElement),
    api: createApi(session),
    answers,
    changes,
    forms,
    notice,
  };
}

function authTypeIn({ auth }: DOMStringMap): AuthType {
  return auth === 'none' || auth === 'oidc' ? auth : 'token';
}

/** A link with a token signs in. The token leaves the address bar and the history at once. */
function acceptLink({ location, history }: Window, session: Session): void {
  const token = tokenIn(location.hash);
  if (token === undefined) return;
  history.replaceState(null, '', '#/');
  session.signIn(token);
}
