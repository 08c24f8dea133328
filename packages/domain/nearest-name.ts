/** Names are compared up to this length; longer ones are only ever near to themselves. */
const MAX_COMPARED = 100;

/**
 * The known name that takes the fewest single-character edits to become `name`, at most a third of its length;
 * of equally near ones the first. Undefined if none is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), least);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

/** Levenshtein distance, or anything not below `limit` once it cannot come out below. */
function editDistance(one: string, other: string, limit: number): number {
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let leastInRow = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isEqual = one.charCodeAt(row - 1) === other.charCodeAt(column - 1);
      const value = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isEqual ? 0 : 1),
      );
      current.push(value);
      leastInRow = Math.min(leastInRow, value);
    }
    if (leastInRow >= limit) return limit;
    previous = current;
  }
  return at(previous, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
