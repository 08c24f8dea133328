import { useCallback, useEffect, useReducer, useRef } from 'preact/hooks';
import { useConsole } from '../console.ts';
import type { Answer, Api } from './client.ts';
import type { Problem } from './problem.ts';

/** What the console knows of one path of the API. Old data stays beside a problem. */
export type Resource<T> = {
  readonly data: T | undefined;
  readonly problem: Problem | undefined;
  /** When `data` was read, in epoch milliseconds. */
  readonly readAt: number | undefined;
};

type Options = {
  /** Reads again after this pause; by default only after a problem. */
  readonly everyMs?: number;
};

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 10_000;

/** Reads something of the API, in one request or in several. */
export type Read<T> = (api: Api, signal: AbortSignal) => Promise<Answer<T>>;

/** Reads a path of the API while the component is shown. `undefined` reads nothing. */
export function useResource<T>(path: string | undefined, options: Options = {}): Resource<T> {
  const read = useCallback<Read<T>>((api, signal) => api.get<T>(path ?? '', signal), [path]);
  return useReading(path, read, options);
}

/**
 * Reads while the component is shown, and again after temporary problems. The last answer with the same key is shown at once
 * while it is read again. `read` must stay the same function for one key.
 */
export function useReading<T>(
  key: string | undefined,
  read: Read<T>,
  { everyMs }: Options = {},
): Resource<T> {
  const { api, answers } = useConsole();
  const [, show] = useReducer((count: number) => count + 1, 0);
  const last = useRef<{ readonly key: string; readonly problem: Problem | undefined } | undefined>(undefined);
  useEffect(() => {
    if (key === undefined) return undefined;
    return poll({
      everyMs,
      read: (signal) => read(api, signal),
      onAnswer(answer) {
        if (answer.problem === undefined) answers.set(key, { data: answer.body, readAt: Date.now() });
        last.current = { key, problem: answer.problem };
        show(undefined);
      },
    });
  }, [api, answers, key, read, everyMs]);
  const known = key === undefined ? undefined : answers.get(key);
  return {
    data: known?.data as T | undefined, // the answer with this key
    readAt: known?.readAt,
    problem: last.current?.key === key ? last.current?.problem : undefined,
  };
}

type Poll = {
  readonly everyMs: number | undefined;
  readonly read: (signal: AbortSignal) => Promise<Answer<unknown>>;
  readonly onAnswer: (answer: Answer<unknown>) => void;
};

/** Reads until the returned function is called. A hidden tab waits until it is shown. */
function poll({ everyMs, read, onAnswer }: Poll): () => void {
  const stop = new AbortController();
  let timer: number | undefined;
  let retryMs = FIRST_RETRY_MS;
  const readOnce = async (): Promise<void> => {
    const answer = await read(stop.signal);
    if (stop.signal.aborted) return;
    onAnswer(answer);
    const isRetried = answer.problem?.isTemporary === true;
    retryMs = isRetried ? Math.min(retryMs * 2, LAST_RETRY_MS) : FIRST_RETRY_MS;
    const pauseMs = isRetried ? retryMs : everyMs;
    if (pauseMs !== undefined) timer = window.setTimeout(readWhenShown, pauseMs);
  };
  const readWhenShown = (): void => {
    if (document.hidden)
      document.addEventListener('visibilitychange', readWhenShown, { once: true, signal: stop.signal });
    // eslint-disable-next-line @typescript-eslint/no-floating-promises -- problems are answers, so it never rejects
    else readOnce();
  };
  readWhenShown();
  return () => {
    stop.abort();
    window.clearTimeout(timer);
  };
}
