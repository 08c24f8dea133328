import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useChange } from '../../api/requests/change.ts';
import type { Problem } from '../../api/requests/problem.ts';
import { Trouble } from '../loaded.tsx';
import type { Change } from '../../types.ts';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
};

/** Open as long as it is rendered. Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    const focused = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}

type ChangeDialogProps<T> = {
  readonly title: string;
  /** The label of the button: a verb. */
  readonly action: string;
  /** The change, from what the fields hold. */
  readonly change: (fields: FormData) => Change;
  /** What the notice says afterwards. */
  readonly done: string;
  /** What brings back what was, or how it follows from the fields. */
  readonly undo?: Change | ((fields: FormData) => Change) | undefined;
  /** What somebody must type, because the change cannot be undone. */
  readonly mustType?: string;
  readonly onClose: () => void;
  /** Called with the answer. The dialog closes by itself. */
  readonly onDone?: (body: T) => void;
  /** Shown after a failure, instead of the problem alone; undefined for problems without more to say. */
  readonly showProblem?: (problem: Problem) => ComponentChildren;
  /** The evidence, and the fields. */
  readonly children?: ComponentChildren;
};

/** Asks before a change. A problem is told in the dialog, which stays open. */
export function ChangeDialog<T>(props: ChangeDialogProps<T>) {
  const { title, action, change, done, undo, mustType, onClose, onDone, showProblem, children } = props;
  const { make, isBusy, problem } = useChange();
  const [typed, setTyped] = useState('');
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const back = typeof undo === 'function' ? undo(fields) : undo;
    const answer = await make<T>(change(fields), { done, ...(back === undefined ? {} : { undo: back }) });
    if (answer.problem !== undefined) return;
    onDone?.(answer.body);
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="fields" onSubmit={submit}>
        {children}
        {mustType !== undefined && (
          <Field label={<TypeToConfirm name={mustType} />}>
            <input
              autocomplete="off"
              value={typed}
              onInput={(event) => {
                setTyped(event.currentTarget.value);
              }}
            />
          </Field>
        )}
        {problem !== undefined && (showProblem?.(problem) ?? <Trouble problem={problem} />)}
        <p class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy || (mustType ?? typed) !== typed}>
            {action}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function TypeToConfirm({ name }: { readonly name: string }) {
  return (
    <>
      This cannot be undone. Type <bdi>{name}</bdi> to confirm.
    </>
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
