import { isCall } from './call-shapes.ts';
import { createLines, textOfLine } from './lines.ts';
import type { CodePlace } from './place.ts';

/**
 * A quote and the string that it may begin, which is at most as long as a name can be. Each quote is tried, because after an
 * apostrophe in a comment nobody knows which quotes begin a string.
 */
const STRING = /(["'`])(?=([^"'`\\\p{Cc}]{1,255})\1)/gu;
/** The string holds a variable or a placeholder, or the expression goes on behind it. */
const PUT_TOGETHER = /\$[\p{L}_]|[{}]/u;
const GOES_ON = /\s{0,100}(?:[+%]|\.(?!\w))/y;

/** Finds the strings that are an argument of an SDK, whatever they say. Names that the code puts together are left out. */
export function findCalls(path: string, text: string): CodePlace[] {
  const places = new Map<string, CodePlace>();
  const lines = createLines(text);
  for (const { index, 2: name = '' } of text.matchAll(STRING)) {
    const start = index + 1;
    const end = start + name.length;
    if (!isCall(text, start, end) || PUT_TOGETHER.test(name) || goesOn(text, end + 1)) continue;
    const { line, from } = lines.at(start);
    const key = `${line} ${name}`;
    if (places.has(key)) continue;
    const place = { name, path, line, column: start - from + 1, kind: 'call' } as const;
    places.set(key, { ...place, text: textOfLine(text, from, start) });
  }
  return [...places.values()];
}

function goesOn(text: string, position: number): boolean {
  GOES_ON.lastIndex = position;
  return GOES_ON.test(text);
}
