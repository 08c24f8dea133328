/**
 * Paths and lines come from strangers. A terminal obeys control characters, and CI systems obey lines of their log that begin with `::` or
 * hold `##vso[`, `##[` and the like.
 */
export function withoutControls(text: string): string {
  return text
    .replaceAll(/\p{C}/gu, '\u{fffd}')
    .replaceAll(/#(?=#[a-z]*\[)/gi, '\u{fffd}')
    .replace(/^(\s*):(?=:)/, '$1\u{fffd}');
}
