import { useEffect } from 'preact/hooks';
import { useChange } from '../../api/requests/change.ts';
import { useConsole } from '../../console.ts';
import { say } from '#base/words';

/** A success needs no answer, so it goes by itself; later if there is something to undo. */
const SHOWN_MS = 10_000;
const UNDO_MS = 60_000;

/** The outcome of the last change, at the edge of the screen, with a way back. */
export function NoticeLine() {
  const { notice } = useConsole();
  const { make, isBusy } = useChange();
  const shown = notice.value;
  useEffect(() => {
    if (shown?.tone !== 'done') return undefined;
    const timer = window.setTimeout(
      () => {
        if (notice.peek() === shown) notice.value = undefined;
      },
      shown.undo === undefined ? SHOWN_MS : UNDO_MS,
    );
    return () => {
      window.clearTimeout(timer);
    };
  }, [notice, shown]);
  const undo = async (): Promise<void> => {
    if (shown?.undo === undefined) return;
    for (const change of [shown.undo].flat()) {
      const { problem } = await make(change);
      if (problem === undefined) continue;
      notice.value = { tone: 'wrong', text: say`Not undone. ${problem.message}` };
      return;
    }
    notice.value = { tone: 'done', text: 'Undone.' };
  };
  if (shown === undefined) return null;
  return (
    <p class={`notice ${shown.tone}`}>
      <span>{shown.text}</span>
      {shown.undo !== undefined && (
        <button type="button" disabled={isBusy} onClick={undo}>
          Undo
        </button>
      )}
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => {
          notice.value = undefined;
        }}
      >
        ×
      </button>
    </p>
  );
}
