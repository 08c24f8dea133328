import { hasWords, searchable, wordsOf } from '../../../state/search.ts';

/** One line of the palette. */
export type Choice = {
  /** What kind of thing it is: Page, Flag, Application, Action. */
  readonly kind: string;
  readonly title: string;
  readonly run: () => void | Promise<void>;
};

/** Pages and actions whose kind and title have the words of the search. */
export function choicesWith(choices: readonly Choice[], search: string): readonly Choice[] {
  const words = wordsOf(search);
  return choices.filter(({ kind, title }) => hasWords(searchable([kind, title]), words));
}

/** The choice that the arrows reach; they go round at both ends. */
export function nextChoice(at: number, step: 1 | -1, count: number): number {
  return count === 0 ? 0 : (at + step + count) % count;
}
