import type { Change } from '../api/client.ts';

/** The outcome of a change. */
export type Notice = {
  readonly text: string;
  readonly tone: 'done' | 'wrong';
  /** The change that brings back what was. */
  readonly undo?: Change | undefined;
};
