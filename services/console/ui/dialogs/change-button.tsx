import type { ComponentChildren } from 'preact';
import type { Permission } from '#base/tokens';
import { useMay } from '../../api/caller.ts';
import { useChange } from '../../api/requests/change.ts';
import type { Problem } from '../../api/requests/problem.ts';
import { useConsole } from '../../console.ts';
import type { Where } from '../../state/may.ts';
import type { Change } from '../../types.ts';
import { say } from '#base/words';

type Props = {
  readonly needs: Permission;
  /** Where the change is made; the installation if absent. */
  readonly where?: Where;
  readonly change: Change;
  /** What the notice says afterwards. */
  readonly done: string;
  readonly undo?: Change | undefined;
  /** For a reader who does not see the row: `Approve request 12`. */
  readonly label?: string;
  readonly isPressed?: boolean;
  readonly class?: string;
  /** Shown beside the button after a failure, instead of the notice; undefined for problems that the notice reports. */
  readonly showProblem?: (problem: Problem) => ComponentChildren;
  readonly children: ComponentChildren;
};

/** Changes something at once. Who may not do it sees no button. A failure is told in the notice. */
export function ChangeButton(props: Props) {
  const { needs, where, change, done, undo, label, isPressed, showProblem, children } = props;
  const may = useMay();
  const { notice } = useConsole();
  const { make, isBusy, problem: shown } = useChange();
  if (!may(needs, where)) return null;
  const press = async (): Promise<void> => {
    const { problem } = await make(change, { done, ...(undo === undefined ? {} : { undo }) });
    if (problem !== undefined && showProblem?.(problem) === undefined)
      notice.value = { tone: 'wrong', text: say`${problem.message} ${problem.advice}` };
  };
  return (
    <>
      <button
        type="button"
        class={props.class}
        aria-label={label}
        aria-pressed={isPressed}
        disabled={isBusy}
        onClick={press}
      >
        {children}
      </button>
      {shown !== undefined && showProblem?.(shown)}
    </>
  );
}
