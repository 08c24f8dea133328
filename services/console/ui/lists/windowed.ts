import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Shorter lists are shown whole. Each key in a search may replace all rows, and a row costs half a millisecond. */
const WHOLE = 60;
/** Rows beyond both edges of the screen, so that keys and fast scrolling meet no gap. */
const BEYOND = 8;
const STEP = 4;

export type Slice = {
  readonly element: RefObject<HTMLTableSectionElement | null>;
  readonly from: number;
  readonly to: number;
};

/** The rows of a long list that are on the screen or near it. */
export function useWindowed(count: number, rowHeight: number): Slice {
  const element = useRef<HTMLTableSectionElement>(null);
  const [from, setFrom] = useState(0);
  const isWhole = count <= WHOLE;
  useLayoutEffect(() => {
    if (isWhole) return undefined;
    const read = (): void => {
      const top = -(element.current?.getBoundingClientRect().top ?? 0);
      // In steps, so that most scroll events change nothing.
      setFrom(Math.max(0, Math.floor((top / rowHeight - BEYOND) / STEP) * STEP));
    };
    read();
    window.addEventListener('scroll', read, { passive: true });
    window.addEventListener('resize', read);
    return () => {
      window.removeEventListener('scroll', read);
      window.removeEventListener('resize', read);
    };
  }, [isWhole, rowHeight]);
  if (isWhole) return { element, from: 0, to: count };
  const visible = Math.ceil(window.innerHeight / rowHeight);
  const first = Math.min(from, Math.max(0, count - visible));
  return { element, from: first, to: Math.min(count, first + visible + 2 * BEYOND + STEP) };
}
