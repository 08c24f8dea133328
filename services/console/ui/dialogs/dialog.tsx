import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { useEscape } from './escape.ts';
import { useTouched } from './touched.ts';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  /** Whether something that is typed would be missed; by default it would. */
  readonly isForm?: boolean;
  readonly children: ComponentChildren;
};

/**
 * Open as long as it is rendered. Escape closes it, after a question if somebody has typed something, and the focus goes back to where it
 * was.
 */
export function Dialog({ title, onClose, isForm = true, children }: DialogProps) {
  const { forms } = useConsole();
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const { touch } = useTouched('dialog');
  useEffect(() => {
    const dialog = element.current;
    const focused = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  const leave = (): void => {
    forms.leave(onClose);
  };
  useEscape(element, leave);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onInput={isForm ? touch : undefined}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

type FieldProps = { readonly label: ComponentChildren; readonly children: ComponentChildren };

/** A control with its label above. */
export function Field({ label, children }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}
