import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useConsole } from '../console.ts';
import { isolate, say } from '#base/words';
import { FIRST_PAGE } from './lists/first-page.ts';
import { WINDOWS, windowOf } from '../state/time/window.ts';

type Props = {
  /** The answer to the question of the page, or undefined while it is unknown. */
  readonly answer: string | undefined;
  /** The name of the page, for the title of the tab. */
  readonly page: string;
  readonly children?: ComponentChildren;
};

/** The first line of a page: its answer, and the controls. */
export function Heading({ answer, page, children }: Props) {
  useEffect(() => {
    document.title = say`${answer ?? page} · flagmeter`;
  }, [answer, page]);
  return (
    <header class="heading">
      <h1 ref={useFocusOfPage()} tabIndex={-1}>
        {answer ?? isolate(page)}
      </h1>
      <div class="controls">{children}</div>
    </header>
  );
}

/**
 * Takes the focus after a move to another page, so that a screen reader says it and Tab goes on from there. A dialog, and whoever works
 * in the page already, keep it.
 */
function useFocusOfPage() {
  const { router } = useConsole();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!router.hasMoved() || document.querySelector('dialog[open], main :focus') !== null) return;
    heading.current?.focus({ preventScroll: true });
  }, [router]);
  return heading;
}

/** The time window of the page, in the URL. */
export function WindowControl() {
  const { router } = useConsole();
  const { window, from } = router.route.value.query;
  const current = from === undefined ? windowOf(window).id : undefined;
  return (
    <div class="segments" role="group" aria-label="Time window">
      {WINDOWS.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === current}
          onClick={() => {
            router.change({ ...FIRST_PAGE, window: id, from: '', to: '' });
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
