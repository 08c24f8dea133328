import { useLayoutEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { useEscape } from '../../ui/dialogs/escape.ts';
import { SignInAgain } from '../people/sign-in-again.tsx';

/** Keeps what the reader has typed in a form of the page. */
export function FormKeeper() {
  const { session } = useConsole();
  return (
    <>
      <LeaveDialog />
      {session.credential.value === undefined && <SignInAgain />}
    </>
  );
}

/** Asks before something drops what the reader has typed. It lies over the dialog with the form. */
function LeaveDialog() {
  const { forms } = useConsole();
  const element = useRef<HTMLDialogElement>(null);
  const go = forms.question.value;
  useLayoutEffect(() => {
    if (go !== undefined) {
      element.current?.showModal();
      element.current?.querySelector<HTMLButtonElement>('.primary')?.focus();
    } else element.current?.close();
  }, [go]);
  const keep = (): void => {
    forms.question.value = undefined;
  };
  useEscape(element, keep);
  return (
    <dialog
      ref={element}
      aria-label="Discard what you typed?"
      onCancel={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <h2>Discard what you typed?</h2>
      <p>It was not sent yet.</p>
      <p class="actions">
        <button
          type="button"
          onClick={() => {
            forms.settle();
            go?.();
          }}
        >
          Discard
        </button>
        <button type="button" class="primary" onClick={keep}>
          Keep typing
        </button>
      </p>
    </dialog>
  );
}
