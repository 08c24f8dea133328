import { signal } from '@preact/signals';
import { useCallback, useEffect, useReducer, useRef } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { type Path, pathTo } from '../../state/paths/path.ts';
import type { KnownAnswer } from './answers.ts';
import type { Answer, Api } from './client.ts';
import { type Options, poll } from './poll.ts';
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

/** Reads something of the API, in one request or in several. `show` shows the first part of it, if nothing is known yet. */
export type Read<T> = (api: Api, signal: AbortSignal, show: (part: T) => void) => Promise<Answer<T>>;

const NOWHERE = pathTo`api/admin`;
/** Never held. */
const FREE = signal(false);

/** Reads a path of the API while the component is shown. `undefined` reads nothing. */
export function useResource<T>(path: Path | undefined, options: Options = {}): Resource<T> {
  const key = path?.text;
  const read = useCallback<Read<T>>((api, signal) => api.get<T>(path ?? NOWHERE, signal), [key]);
  return useReading(key, read, options);
}

/**
 * Reads while the component is shown, and again after temporary problems. The last answer with the same key is shown at once
 * while it is read again. Everything shown is also read again after each change of this tab. `read` must stay the same function for one key.
 */
export function useReading<T>(
  key: string | undefined,
  read: Read<T>,
  { everyMs, isNeverHeld = false }: Options = {},
): Resource<T> {
  const { api, answers, changes, forms } = useConsole();
  const [, show] = useReducer((count: number) => count + 1, 0);
  const change = changes.value;
  const last = useRef<Last | undefined>(undefined);
  useEffect(() => {
    if (key === undefined) return undefined;
    const onAnswer = (answer: Answer<unknown>): void => {
      if (answer.problem === undefined)
        answers.set(key, { data: answer.body, etag: answer.etag, readAt: Date.now() });
      const known = answers.get(key) ?? ofKey(last.current, key)?.known;
      last.current = { key, known, problem: answer.problem };
      show(undefined);
    };
    const isKnown = (): boolean => (answers.get(key) ?? ofKey(last.current, key)?.known) !== undefined;
    return poll({
      everyMs,
      isKnown,
      isHeld: isNeverHeld ? FREE : forms.isDialogTouched,
      read(signal) {
        const wasKnown = isKnown();
        return read(api, signal, (part) => {
          if (!wasKnown && !signal.aborted) onAnswer({ body: part });
        });
      },
      onAnswer,
    });
  }, [api, answers, forms, key, read, everyMs, isNeverHeld, change]);
  // What is shown stays, although newer answers push it out of those that are kept.
  const own = ofKey(last.current, key);
  const known = key === undefined ? undefined : (answers.get(key) ?? own?.known);
  return {
    data: known?.data as T | undefined, // the answer with this key
    etag: known?.etag,
    readAt: known?.readAt,
    problem: own?.problem,
  };
}

/** The last answer that a component has got. */
type Last = {
  readonly key: string;
  readonly known: KnownAnswer | undefined;
  readonly problem: Problem | undefined;
};

function ofKey(last: Last | undefined, key: string | undefined): Last | undefined {
  return last?.key === key ? last : undefined;
}
