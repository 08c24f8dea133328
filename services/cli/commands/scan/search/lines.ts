const MAX_TEXT = 160;

/** Finds the lines of positions that never go back by a line. It looks at each line end once, because a line may be very long. */
export function createLines(text: string) {
  let line = 1;
  let from = 0;
  let end = endOfLine(text, 0);
  return {
    at(position: number): { readonly line: number; readonly from: number } {
      while (end < position) {
        line += 1;
        from = end + 1;
        end = endOfLine(text, from);
      }
      return { line, from };
    },
  };
}

/** What surrounds the name in its line. */
export function textOfLine(text: string, from: number, start: number): string {
  const begin = Math.max(from, start - MAX_TEXT / 2);
  const shown = text.slice(begin, begin + MAX_TEXT);
  return shown.slice(0, endOfLine(shown, start - begin)).trim();
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
