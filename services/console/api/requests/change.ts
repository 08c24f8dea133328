import { useState } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import type { Answer } from './client.ts';
import type { Problem } from './problem.ts';
import type { Change } from '../../types.ts';

type Told = {
  /** What was done, for the notice: `old-banner is archived`. Nothing is shown without it. */
  readonly done?: string;
  /** The change that brings back what was. It is refused if somebody has changed the same thing since. */
  readonly undo?: Change;
  /** Whether the caller deals with a conflict, so that what is shown stays. */
  readonly solvesConflict?: boolean;
};

export type Changing = {
  /** Changes something, tells the reader, and reads everything shown again. */
  readonly make: <T = unknown>(change: Change, told?: Told) => Promise<Answer<T>>;
  readonly isBusy: boolean;
  /** Why the last attempt failed. */
  readonly problem: Problem | undefined;
};

/** For one button or dialog. A problem also stays there, next to what caused it. */
export function useChange(): Changing {
  const { api, changes, notice } = useConsole();
  const [state, setState] = useState<Pick<Changing, 'isBusy' | 'problem'>>({
    isBusy: false,
    problem: undefined,
  });
  return {
    ...state,
    async make<T>(change: Change, { done, undo, solvesConflict = false }: Told = {}) {
      setState({ isBusy: true, problem: undefined });
      const answer = await api.send<T>(change);
      setState({ isBusy: false, problem: answer.problem });
      if (answer.problem === undefined && done !== undefined)
        notice.value = { tone: 'done', text: done, undo: undo && { ...undo, ifMatch: answer.etag } };
      // After a failure too: what is shown may be what made it fail.
      if (!solvesConflict || answer.problem?.status !== 412) changes.value += 1;
      return answer;
    },
  };
}
