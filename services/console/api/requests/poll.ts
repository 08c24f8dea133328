import type { ReadonlySignal } from '@preact/signals';
import type { Answer } from './client.ts';

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 10_000;
/** The pause after a slow reading, in times of its duration, so that the server is busy a quarter of the time. */
const REST_FACTOR = 3;

export type Options = {
  /** Reads again after this pause; by default only after a problem. */
  readonly everyMs?: number | undefined;
  /** Also while a dialog holds text: its dialogs stay whatever is read, and show it. */
  readonly isNeverHeld?: boolean;
};

type Poll = Pick<Options, 'everyMs'> & {
  readonly read: (signal: AbortSignal) => Promise<Answer<unknown>>;
  readonly onAnswer: (answer: Answer<unknown>) => void;
  /** Whether there is something to show already. */
  readonly isKnown: () => boolean;
  /** While it is true, what the page already shows stays, and nothing is read again. */
  readonly isHeld: ReadonlySignal<boolean>;
};

/** Reads until the returned function is called. A hidden tab waits until it is shown. */
export function poll({ everyMs, read, onAnswer, isKnown, isHeld }: Poll): () => void {
  const stop = new AbortController();
  let timer: number | undefined;
  let retryMs = FIRST_RETRY_MS;
  const readOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    const answer = await read(stop.signal);
    if (stop.signal.aborted) return;
    if (isKnown() && isHeld.peek()) {
      whenFree(isHeld, stop.signal, readWhenShown);
      return;
    }
    const restMs = REST_FACTOR * (performance.now() - startedAt);
    onAnswer(answer);
    const isRetried = answer.problem?.isTemporary === true;
    retryMs = isRetried ? Math.min(retryMs * 2, LAST_RETRY_MS) : FIRST_RETRY_MS;
    const pauseMs = isRetried ? retryMs : everyMs;
    if (pauseMs !== undefined) timer = window.setTimeout(readAgain, Math.max(pauseMs, restMs));
  };
  const readWhenShown = (): void => {
    if (document.hidden)
      document.addEventListener('visibilitychange', readWhenShown, { once: true, signal: stop.signal });
    // oxlint-disable-next-line typescript/no-floating-promises -- problems are answers, so it never rejects
    else readOnce();
  };
  const readAgain = (): void => {
    if (isKnown()) whenFree(isHeld, stop.signal, readWhenShown);
    else readWhenShown();
  };
  readAgain();
  return () => {
    stop.abort();
    window.clearTimeout(timer);
  };
}

/** Calls back as soon as the signal is false, unless it is stopped. */
function whenFree(isHeld: ReadonlySignal<boolean>, stop: AbortSignal, go: () => void): void {
  if (!isHeld.peek()) {
    go();
    return;
  }
  const unsubscribe = isHeld.subscribe((held) => {
    if (held) return;
    unsubscribe();
    go();
  });
  stop.addEventListener('abort', unsubscribe);
}
