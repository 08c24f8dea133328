/** The bytes of an item in a JSON list, with its comma. */
export function bytesOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item)) + 1;
}

/** Splits items into lists whose items have at most `maxBytes` together. No item may be longer. */
export function inBodies<Item>(items: Iterable<Item>, maxBytes: number): Item[][] {
  const bodies: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (bytes > room) {
      bodies.push([]);
      room = maxBytes;
    }
    bodies.at(-1)?.push(item);
    room -= bytes;
  }
  return bodies;
}
