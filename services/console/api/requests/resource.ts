import type { ReadonlySignal } from '@preact/signals';
import { useCallback, useEffect, useReducer, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { Answer, Api } from './client.ts';
import type { Problem } from './problem.ts';

/** What the console knows of one path of the API. Old data stays beside a problem. */
export type Resource<T> = {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  /** The version of `data`, for changes that must not overwrite somebody else's. */
  readonly etag: string | undefined;
  /** When `data` was read, in epoch milliseconds. */
  readonly readAt: number | undefined;
};

type Options = {
  /** Reads again after this pause; by default only after a problem. */
  readonly everyMs?: number | undefined;
  /** Reads again soon after this value changes. It must stay the same signal. */
  readonly again?: ReadonlySignal<unknown> | undefined;
};

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 10_000;
/** Between two readings, however often `again` changes; and longer after a slow one, so that the server is busy a quarter of the time. */
const MIN_REST_MS = 1000;
const REST_FACTOR = 3;

/** Reads something of the API, in one request or in several. `show` shows the first part of it, if nothing is known yet. */
export type Read<T> = (api: Api, signal: AbortSignal, show: (part: T) => void) => Promise<Answer<T>>;

/** Reads a path of the API while the component is shown. `undefined` reads nothing. */
export function useResource<T>(path: string | undefined, options: Options = {}): Resource<T> {
  const read = useCallback<Read<T>>((api, signal) => api.get<T>(path ?? '', signal), [path]);
  return useReading(path, read, options);
}

/**
 * Reads while the component is shown, and again after temporary problems. The last answer with the same key is shown at once
 * while it is read again. Everything shown is also read again after each change of this tab. `read` must stay the same function for one key.
 */
export function useReading<T>(
  key: string | undefined,
  read: Read<T>,
  { everyMs, again }: Options = {},
): Resource<T> {
  const { api, answers, changes } = useConsole();
  const [, show] = useReducer((count: number) => count + 1, 0);
  const change = changes.value;
  const last = useRef<{ readonly key: string; readonly problem: Problem | undefined } | undefined>(undefined);
  useEffect(() => {
    if (key === undefined) return undefined;
    const onAnswer = (answer: Answer<unknown>): void => {
      if (answer.problem === undefined)
        answers.set(key, { data: answer.body, etag: answer.etag, readAt: Date.now() });
      last.current = { key, problem: answer.problem };
      show(undefined);
    };
    return poll({
      everyMs,
      again,
      read(signal) {
        const isKnown = answers.get(key) !== undefined;
        return read(api, signal, (part) => {
          if (!isKnown && !signal.aborted) onAnswer({ body: part });
        });
      },
      onAnswer,
    });
  }, [api, answers, key, read, everyMs, again, change]);
  const known = key === undefined ? undefined : answers.get(key);
  return {
    data: known?.data as T | undefined, // the answer with this key
    etag: known?.etag,
    readAt: known?.readAt,
    problem: last.current?.key === key ? last.current?.problem : undefined,
  };
}

type Poll = Options & {
  readonly read: (signal: AbortSignal) => Promise<Answer<unknown>>;
  readonly onAnswer: (answer: Answer<unknown>) => void;
};

/** Reads until the returned function is called. A hidden tab waits until it is shown. */
function poll({ everyMs, again, read, onAnswer }: Poll): () => void {
  const stop = new AbortController();
  let timer: number | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isReading = false;
  let isOutdated = false;
  let restUntil = 0;
  const begin = (): void => {
    isReading = true;
    isOutdated = false;
  };
  const readOnce = async (): Promise<void> => {
    const startedAt = performance.now();
    begin();
    const answer = await read(stop.signal);
    if (stop.signal.aborted) return;
    isReading = false;
    const now = performance.now();
    restUntil = now + Math.max(MIN_REST_MS, REST_FACTOR * (now - startedAt));
    onAnswer(answer);
    const isRetried = answer.problem?.isTemporary === true;
    retryMs = isRetried ? Math.min(retryMs * 2, LAST_RETRY_MS) : FIRST_RETRY_MS;
    const pauseMs = isRetried ? retryMs : everyMs;
    if (pauseMs !== undefined) timer = window.setTimeout(readWhenShown, pauseMs);
    if (isOutdated) readSoon();
  };
  const readWhenShown = (): void => {
    if (document.hidden)
      document.addEventListener('visibilitychange', readWhenShown, { once: true, signal: stop.signal });
    // oxlint-disable-next-line typescript/no-floating-promises -- problems are answers, so it never rejects
    else readOnce();
  };
  const readSoon = (): void => {
    isOutdated = true;
    if (isReading) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(readWhenShown, Math.max(0, restUntil - performance.now()));
  };
  readWhenShown();
  let isFirst = true; // `subscribe` reports the current value first
  const unsubscribe = again?.subscribe(() => {
    if (!isFirst) readSoon();
    isFirst = false;
  });
  return () => {
    unsubscribe?.();
    stop.abort();
    window.clearTimeout(timer);
  };
}
