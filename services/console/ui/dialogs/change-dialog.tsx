import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useChange } from '../../api/requests/change.ts';
import type { Answer } from '../../api/requests/client.ts';
import type { Problem } from '../../api/requests/problem.ts';
import { useConsole } from '../../console.ts';
import { Trouble } from '../loaded.tsx';
import { Isolated } from '../parts.tsx';
import type { Change } from '../../types.ts';
import { type Conflict, ConflictNote, type Edited, readConflict } from './conflict.tsx';
import { Dialog, Field } from './dialog.tsx';

type Props<T, E> = {
  readonly title: string;
  /** The label of the button: a verb. */
  readonly action: string;
  /** The change, from what the fields hold. */
  readonly change: (fields: FormData) => Change;
  /** What is changed, if somebody else may change it meanwhile: then the change has its version. */
  readonly edited?: Edited<E>;
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

/** Asks before a change. A problem is told in the dialog, which stays open with what somebody typed. */
export function ChangeDialog<T, E = never>(props: Props<T, E>) {
  const { title, action, change, edited, done, undo, mustType, onClose, onDone, showProblem, children } =
    props;
  const { forms } = useConsole();
  const { send, isBusy, problem, conflict } = useSending<T, E>(edited);
  const [typed, setTyped] = useState('');
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const back = typeof undo === 'function' ? undo(fields) : undo;
    const answer = await send(change(fields), { done, ...(back === undefined ? {} : { undo: back }) });
    if (answer.problem !== undefined) return;
    forms.settle();
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
        {conflict !== undefined && <ConflictNote of={conflict} />}
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

/**
 * Sends a change with the version that its reader has seen. If somebody else has changed what the form sets, the reader decides again; if
 * they have changed something else, the change is sent again.
 */
function useSending<T, E>(edited: Edited<E> | undefined) {
  const { api } = useConsole();
  const { make, isBusy, problem } = useChange();
  const [conflict, setConflict] = useState<Conflict>();
  const seen = useRef(edited && { etag: edited.etag, shown: edited.shown(edited.opened) });
  type Told = Parameters<typeof make>[1];
  const send = async (change: Change, told: Told): Promise<Answer<T>> => {
    const { current } = seen;
    const answer = await (current === undefined
      ? make<T>(change, told)
      : make<T>({ ...change, ifMatch: current.etag }, { ...told, solvesConflict: true }));
    setConflict(undefined);
    if (answer.problem?.status !== 412 || edited === undefined || current === undefined) return answer;
    const { body: found, problem: unread } = await readConflict(api, edited, current.shown);
    if (unread !== undefined) return { problem: unread };
    seen.current = { etag: found.etag, shown: { ...current.shown, ...Object.fromEntries(found.now) } };
    if (found.now.length === 0) return send(change, told);
    setConflict(found);
    return answer;
  };
  return { send, isBusy, conflict, problem: conflict === undefined ? problem : undefined };
}

function TypeToConfirm({ name }: { readonly name: string }) {
  return (
    <>
      This cannot be undone. Type <Isolated>{name}</Isolated> to confirm.
    </>
  );
}
