/** A list that may be long, a page at a time. Whoever stops reading leaves nothing open. */
export type Pages<Item> = AsyncIterable<readonly Item[]>;

export const PAGE_ROWS = 1000;

/**
 * Reads pages of up to `PAGE_ROWS` items, each by a statement of its own that begins after the last item of the page
 * before (keyset paging), so that no statement takes long, memory does not grow, and a slow reader holds no connection.
 * Items must be in an order that never changes: each that is there from the beginning to the end comes once. The first
 * page is read at once, so that trouble is known before anything is answered.
 */
export async function readPages<Item>(
  readAfter: (last: Item | undefined) => Promise<readonly Item[]>,
): Promise<Pages<Item>> {
  return following(await readAfter(undefined), readAfter);
}

async function* following<Item>(
  first: readonly Item[],
  readAfter: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, void> {
  let page = first;
  for (;;) {
    yield page;
    if (page.length < PAGE_ROWS) return;
    page = await readAfter(page.at(-1));
  }
}

export async function* mapPages<From, To>(pages: Pages<From>, map: (item: From) => To): Pages<To> {
  for await (const page of pages) yield page.map(map);
}
