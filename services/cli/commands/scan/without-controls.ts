/** Paths and lines come from strangers, and a terminal obeys control characters. */
export function withoutControls(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{fffd}');
}
