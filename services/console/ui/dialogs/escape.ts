import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * Calls back for Escape while a dialog is the topmost one, wherever the focus is: a button that is sending is disabled, and loses it.
 * Otherwise browsers close a dialog at the second Escape, whatever its page answers to `cancel`, and say so only later.
 */
export function useEscape(dialog: RefObject<HTMLDialogElement | null>, onEscape: () => void): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || [...document.querySelectorAll('dialog[open]')].at(-1) !== dialog.current)
        return;
      event.preventDefault();
      event.stopImmediatePropagation();
      onEscape();
    };
    document.addEventListener('keydown', press, { capture: true });
    return () => {
      document.removeEventListener('keydown', press, { capture: true });
    };
  });
}
