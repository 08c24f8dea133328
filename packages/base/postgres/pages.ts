/** A list that may be long, one page at a time. A reader that stops leaves nothing open. */
export type Pages<Item> = AsyncIterable<readonly Item[]>;

export const PAGE_ROWS = 1000;

/** A page ends with the row that reaches this size, so that a reader costs little memory, however long the texts are. */
export const PAGE_BYTES = 128 * 1024;

/** Each row reports the size of its long members. */
type Sized = { readonly size_bytes: number };

/** The source of a page: a SELECT of everything after the previous page, with the column `size_bytes`. */
type Cut = { readonly from: string; readonly order: string; readonly maxRows?: number };

/** The SQL of one page: as many rows as fit, and at least one. No part of it comes from outside. */
export function pageOf({ from, order, maxRows = PAGE_ROWS }: Cut): string {
  return `
    select *
    from (
      select
        following.*,
        coalesce(sum(size_bytes) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (${from} order by ${order} limit ${maxRows}) as following
    ) as page
    where bytes_before < ${PAGE_BYTES}
    order by ${order}`;
}

/**
 * Reads the pages of `pageOf`, each by a statement that begins after the last item of the previous page (keyset paging). So no
 * statement takes long, memory does not grow, and a slow reader holds no connection. The order of the items must never change.
 * Then each item that exists from start to end comes once. The first page is read at once, so that errors are known before the
 * answer begins.
 */
export async function readPages<Item extends Sized>(
  readAfter: (last: Item | undefined) => Promise<readonly Item[]>,
  maxRows = PAGE_ROWS,
): Promise<Pages<Item>> {
  return following(await readAfter(undefined), { readAfter, maxRows });
}

type Reading<Item> = {
  readonly readAfter: (last: Item | undefined) => Promise<readonly Item[]>;
  readonly maxRows: number;
};

async function* following<Item extends Sized>(
  first: readonly Item[],
  { readAfter, maxRows }: Reading<Item>,
): AsyncGenerator<readonly Item[], void, void> {
  let page = first;
  for (;;) {
    yield page;
    const bytes = page.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
    if (page.length < maxRows && bytes < PAGE_BYTES) return;
    page = await readAfter(page.at(-1));
  }
}

export async function* mapPages<From, To>(pages: Pages<From>, map: (item: From) => To): Pages<To> {
  for await (const page of pages) yield page.map(map);
}

/** The first items of a list. */
export async function* firstOf<Item>(pages: Pages<Item>, max: number): Pages<Item> {
  let left = max;
  for await (const page of pages) {
    yield page.slice(0, left);
    left -= page.length;
    if (left <= 0) return;
  }
}
