/** An index that may be missing, as a message holds it: 0 if it is, otherwise the index plus one. */
export function encodeIndex(index: number | undefined): number {
  return index === undefined ? 0 : index + 1;
}

export function decodeIndex(encoded: number): number | undefined {
  return encoded === 0 ? undefined : encoded - 1;
}
