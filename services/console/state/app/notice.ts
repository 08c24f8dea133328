import type { Change } from '../../types.ts';

/** The outcome of a change. */
export type Notice = {
  readonly text: string;
  readonly tone: 'done' | 'wrong';
  /** The changes that bring back what was, in order. */
  readonly undo?: Change | readonly Change[] | undefined;
};
