/** The longest name that is stored, in UTF-16 units; the columns of Postgres have the same limit. */
export const MAX_NAME_LENGTH = 255;
export const MAX_ENVIRONMENT_LENGTH = 100;

// Lone surrogates have no UTF-8 form: ClickHouse rejects the whole INSERT that contains one.
const UNSTORABLE = /[\p{Cc}\p{Cs}]/u;
const UNSTORABLE_ALL = /[\p{Cc}\p{Cs}]/gu;

/** Why Postgres cannot store a text; undefined if it can. */
export function problemOfText(text: string): string | undefined {
  if (text.includes('\0')) return 'must not hold NUL';
  return /\p{Cs}/u.test(text) ? 'must not hold half of a surrogate pair' : undefined;
}

export type NameProblem = 'empty_name' | 'name_too_long' | 'invalid_character';

export function problemOfName(name: string, maxLength = MAX_NAME_LENGTH): NameProblem | undefined {
  if (name.length === 0) return 'empty_name';
  if (name.length > maxLength) return 'name_too_long';
  return UNSTORABLE.test(name) ? 'invalid_character' : undefined;
}

/** A refused name, made safe to store and show: control characters are replaced, and it has at most 255 characters. */
export function displayableName(name: string): string {
  const shown = name.slice(0, MAX_NAME_LENGTH);
  return isAscii(shown) ? shown : shown.replace(UNSTORABLE_ALL, '\uFFFD');
}

/** Whether all characters are printable ASCII. Nearly all names are, and the expression takes ten times as long. */
function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** URL-friendly names of 1 to 100 characters, except `.` and `..` (docs/develop/unleash.md#features). */
export const URL_NAME = '^(?!\\.{1,2}$)[A-Za-z0-9_.~-]{1,100}$';

const PATTERN = new RegExp(URL_NAME);

/** Whether the admin API accepts a name of a feature. */
export function isUrlName(name: string): boolean {
  return PATTERN.test(name);
}
