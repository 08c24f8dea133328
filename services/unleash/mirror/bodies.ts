/** Unleash rejects a body of more than 102,400 bytes. */
const MAX_BODY_BYTES = 95_000;
/** The members of a body around its list. */
const FRAME_BYTES = 64;

/** The longest item that fits into a body. */
export const MAX_ITEM_BYTES = MAX_BODY_BYTES - FRAME_BYTES;

export function bytesOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item)) + 1; // its comma
}

/** Splits items into lists that fit into one body each. No item may be longer than MAX_ITEM_BYTES. */
export function inBodies<Item>(items: Iterable<Item>): Item[][] {
  const bodies: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (bytes > room) {
      bodies.push([]);
      room = MAX_ITEM_BYTES;
    }
    bodies.at(-1)?.push(item);
    room -= bytes;
  }
  return bodies;
}
