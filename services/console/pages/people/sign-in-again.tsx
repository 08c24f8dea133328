import { useEffect, useRef } from 'preact/hooks';
import { tryCredential } from '../../api/requests/client.ts';
import { useConsole } from '../../console.ts';
import { CALLER } from '../../state/paths/path.ts';
import type { Caller } from '../../types.ts';
import { useEscape } from '../../ui/dialogs/escape.ts';
import { Ways } from './sign-in.tsx';

/** Over a page with a form that holds what its author typed when their session or token ended. */
export function SignInAgain() {
  const { answers, forms, session } = useConsole();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  useEscape(element, () => undefined);
  const accept = (caller: Caller, signIn: () => void): void => {
    // What one caller has typed and seen is not for another.
    const before = answers.get(CALLER.text)?.data as Caller | undefined; // the answer of this path
    if (isSame(before, caller)) signIn();
    else {
      forms.settle();
      // The page is gone then.
      window.setTimeout(signIn);
    }
  };
  useSessionOfBrowser(accept);
  return (
    <dialog
      ref={element}
      class="again"
      aria-labelledby="sign-in-again"
      onCancel={(event) => {
        event.preventDefault();
      }}
    >
      <h2 id="sign-in-again">Sign in again</h2>
      <p>What you typed is kept until then.</p>
      <Ways
        onToken={(secret, caller) => {
          accept(caller, () => {
            session.signIn(secret);
          });
        }}
        providerButton={
          <p>
            <a href="sign-in" target="_blank" rel="noreferrer">
              Sign in with your account in a new tab
            </a>
            , then come back to this one.
          </p>
        }
      />
      <p class="actions">
        <button type="button" onClick={forms.settle}>
          Discard what you typed
        </button>
      </p>
    </dialog>
  );
}

/** Goes on with the session of this browser, as soon as its user comes back from the tab in which they signed in. */
function useSessionOfBrowser(accept: (caller: Caller, signIn: () => void) => void): void {
  const { session } = useConsole();
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (session.authType !== 'oidc' || !session.hasCookie()) return;
      const { body } = await tryCredential(undefined);
      if (body !== undefined) accept(body, session.resume);
    };
    const returned = (): void => {
      // oxlint-disable-next-line typescript/no-floating-promises -- problems are answers, so it never rejects
      look();
    };
    window.addEventListener('focus', returned);
    return () => {
      window.removeEventListener('focus', returned);
    };
  });
}

/** All ADMIN tokens have one id, but their own names. */
function isSame(before: Caller | undefined, now: Caller): boolean {
  if (before === undefined || before.user.id !== now.user.id) return false;
  return now.user.id > 0 || before.authentication.tokenName === now.authentication.tokenName;
}
