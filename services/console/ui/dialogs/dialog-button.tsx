import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type Props = {
  readonly label: ComponentChildren;
  /** For a reader who does not see the row: `Revoke edge`. */
  readonly hint?: string;
  /** The dialog. It calls the function to close itself. */
  readonly children: (close: () => void) => ComponentChildren;
};

/** A button that opens a dialog. */
export function DialogButton({ label, hint, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={hint}
        onClick={() => {
          setOpen(true);
        }}
      >
        {label}
      </button>
      {isOpen &&
        children(() => {
          setOpen(false);
        })}
    </>
  );
}
