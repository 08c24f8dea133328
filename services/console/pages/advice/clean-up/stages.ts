import type { CleanUp } from '../../../types.ts';

export type Stage = CleanUp['stage'];

/** The columns of the board, in order, with what each means. */
export const STAGES: readonly { readonly id: Stage; readonly title: string }[] = [
  { id: 'found', title: 'Found' },
  { id: 'told', title: 'Told' },
  { id: 'removal', title: 'In removal' },
  { id: 'gone', title: 'Gone' },
  { id: 'archived', title: 'Archived' },
];

/** Somebody has taken it on, so the list of what can go leaves it to the board. What flagmeter has moved still needs somebody. */
export function isTakenOn({ stage, movedBy }: Pick<CleanUp, 'stage' | 'movedBy'>): boolean {
  return movedBy !== null && (stage === 'removal' || stage === 'gone');
}

export function titleOf(stage: Stage): string {
  return STAGES.find(({ id }) => id === stage)?.title ?? stage;
}

/** Cards that a column shows before somebody asks for the others. */
export const SHORT = 10;

/** The text of a link: without what all addresses begin with. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '');
}
