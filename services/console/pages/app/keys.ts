import { useLayoutEffect, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';

type Keys = {
  /** The pages after `g`, by key. */
  readonly go: Readonly<Record<string, string>>;
  readonly showHelp: () => void;
  readonly showPalette: () => void;
};

/** The second key of a pair must come within this time. */
const PAIR_MS = 1500;

/** Keys of all pages. They do nothing while somebody types, except Ctrl K. */
export function useKeys({ go, showHelp, showPalette }: Keys): void {
  const { router } = useConsole();
  const goUntil = useRef(0);
  // Before the page is painted, so that a key that somebody presses at once is not lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]') !== null) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        showPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) {
        if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur();
        return;
      }
      const page = event.timeStamp < goUntil.current ? go[event.key] : undefined;
      goUntil.current = event.key === 'g' ? event.timeStamp + PAIR_MS : 0;
      if (page !== undefined) router.go(...(page === '' ? [] : [page]));
      else if (event.key === '?') showHelp();
      else if (event.key === '/') focusSearch(event);
      else if (pressButton(event.key)) event.preventDefault();
      else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') moveInRows(event);
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  });
}

/** Also the key of a Mac. */
function isPaletteKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k';
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select');
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('input[type=search]');
  if (search === null) return;
  event.preventDefault();
  search.select();
  search.focus();
}

/** A button of the page may have its own key, in `data-key`. */
function pressButton(key: string): boolean {
  const button = document.querySelector<HTMLButtonElement>(`main button[data-key="${CSS.escape(key)}"]`);
  button?.click();
  return button !== null;
}

/** Moves the focus between rows that are links; the first press goes to the first row. */
function moveInRows(event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('a[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[at < 0 ? 0 : at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}
