/** Of what is stored, in characters. OpenID Connect bounds subjects likewise. */
const MAX_LENGTH = 255;

/** Whether a claim can be stored and shown as a name. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{C}]{1,255}$/u.test(value);
}

/** Also one with another character that is drawn like an @. */
export function looksLikeAddress(text: string): boolean {
  return text.normalize('NFKC').includes('@');
}

/** What a value is, in words for the log, and never the value. */
export function formOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  if (value === '') return 'an empty text';
  if (value.length > MAX_LENGTH) return 'a text that is too long';
  return isName(value) ? 'another text' : 'a text with characters that cannot be shown';
}
