/** A number with its noun, such as `1 gap` and `2 gaps`. */
export function amountOf(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${Number(count) === 1 ? one : many}`;
}

/** A text of another program as the end of a sentence: one line and one full stop. */
export function sentenceOf(text: string): string {
  return `${text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.\s]+$/, '')}.`;
}

/** The name of a column for a member of an answer or a threshold: `seenAt` is `seen_at`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
