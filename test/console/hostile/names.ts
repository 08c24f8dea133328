/** Names that somebody may choose to confuse a page: for a path, for the text around them, for HTML, for a layout. */
export const HOSTILE_NAMES = [
  '.',
  '..',
  '%2e%2e',
  '../../events',
  'a/b?c#d',
  '\u202e % 001 rof no si',
  'flag\u2069\u202e % 001',
  'one\u2029two',
  '\u05d0\u05d1 12 %',
  '<img src=x onerror=alert(1)>',
  `"'&amp;{{7*7}}`,
  'constructor',
  'x'.repeat(255),
] as const;
