/** Beginnings and ends of isolates, and ends of paragraphs, which end every isolate. */
const BOUNDS = /[\u2066-\u2069\u2028\u2029]/g;
const END = '\u2069';
/** Letters that are written from right to left, marks and controls of directions. Other texts cannot turn anything round. */
const DIRECTED =
  /[\u0590-\u08FF\u200E\u200F\u2028-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A text in which every isolate ends and nothing ends an isolate around it. */
export function contain(text: string): string {
  let open = 0;
  const contained = text.replaceAll(BOUNDS, (bound) => {
    const isEnd = bound === END;
    if (bound >= '\u2066' ? isEnd && open === 0 : true) return '\uFFFD';
    open += isEnd ? -1 : 1;
    return bound;
  });
  return contained + END.repeat(open);
}

/** Characters that nobody sees. Those that join others, as in emoji, are not among them. */
const UNSEEN = /[\u00AD\u115F\u1160\u180E\u200B\u2060\u2800\u3164\uFEFF\uFFA0]/gu;
const BLANK = /^[\p{Z}\p{C}\p{M}]+$/u;

/** A name that looks different from every other name: a blank one is `[U+3000]`. */
export function visible(name: string): string {
  return name.replaceAll(BLANK.test(name) ? /./gsu : UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/**
 * A text that somebody else chose, as a part of ours. What it says about directions of writing ends with it (FIRST STRONG ISOLATE), so it
 * cannot turn a number round. Other texts stay as they are.
 */
export function isolate(text: string): string {
  const seen = visible(text);
  return DIRECTED.test(seen) ? `\u2068${contain(seen)}${END}` : seen;
}

/** A sentence with names: say`${name} is archived.` */
export function say(words: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return words.reduce((text, word, at) => `${text}${isolate(String(parts[at - 1]))}${word}`);
}

/** Names in a row: `checkout, search`. */
export function list(names: readonly string[]): string {
  return names.map(isolate).join(', ');
}
