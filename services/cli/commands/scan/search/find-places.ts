import { isCall, isQuoted } from './call-shapes.ts';
import { createLines, textOfLine } from './lines.ts';
import type { CodePlace } from './place.ts';

const WORD = /[\p{L}\p{N}_~-]+/gu;
const PART_OF_WORD = /[\p{L}\p{N}_~-]/u;
/** A name of this form is also a word of the language, such as checkout. Code is full of it. */
const ORDINARY_WORD = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)$/u;

export type FindPlaces = (path: string, text: string) => CodePlace[];

/**
 * Returns a search for names, and the names that it cannot find because they have no letter and no digit.
 *
 * Each word of a text is looked up in a map of the longest word of each name; only then the whole name is compared. This costs the
 * same for any number of names.
 */
export function createSearch(names: readonly string[]): { findPlaces: FindPlaces; unsearchable: string[] } {
  const byWord = new Map<string, Candidate[]>();
  const unsearchable: string[] = [];
  for (const name of names) {
    const word = longestWordOf(name);
    if (word === undefined) {
      unsearchable.push(name);
      continue;
    }
    const candidates = byWord.get(word.text) ?? [];
    candidates.push({ name, offset: word.offset, isOrdinary: ORDINARY_WORD.test(name) });
    byWord.set(word.text, candidates);
  }
  return { findPlaces: (path, text) => findPlaces(byWord, path, text), unsearchable };
}

type Candidate = {
  readonly name: string;
  /** Where the longest word begins in the name. */
  readonly offset: number;
  readonly isOrdinary: boolean;
};

function longestWordOf(name: string): { text: string; offset: number } | undefined {
  const words = [...name.matchAll(WORD)].map(({ 0: text, index }) => ({ text, offset: index }));
  return words.sort((one, other) => other.text.length - one.text.length)[0];
}

function findPlaces(
  byWord: ReadonlyMap<string, readonly Candidate[]>,
  path: string,
  text: string,
): CodePlace[] {
  const places = new Map<string, CodePlace>();
  const lines = createLines(text);
  WORD.lastIndex = 0;
  // A loop over `exec` makes no array for each of the many words that are no names.
  for (let match = WORD.exec(text); match !== null; match = WORD.exec(text)) {
    const candidates = byWord.get(match[0]);
    if (candidates === undefined) continue;
    for (const { name, offset, isOrdinary } of candidates) {
      const start = match.index - offset;
      const end = start + name.length;
      if (!isWhole(text, name, start)) continue;
      const kind = isCall(text, start, end) ? 'call' : 'mention';
      if (kind === 'mention' && isOrdinary && !isQuoted(text, start, end)) continue;
      const { line, from } = lines.at(start);
      const key = `${line} ${name}`;
      if (places.get(key)?.kind === 'call' || (places.has(key) && kind === 'mention')) continue;
      const place = { name, path, line, column: start - from + 1, kind } as const;
      places.set(key, { ...place, text: textOfLine(text, from, start) });
    }
  }
  return [...places.values()];
}

/** Whether the text has the name at `start`, and not as a part of a longer one. */
function isWhole(text: string, name: string, start: number): boolean {
  if (start < 0 || !text.startsWith(name, start)) return false;
  const end = start + name.length;
  return !joins(text[start - 1], name[0]) && !joins(name.at(-1), text[end]);
}

function joins(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && PART_OF_WORD.test(one) && PART_OF_WORD.test(other);
}
