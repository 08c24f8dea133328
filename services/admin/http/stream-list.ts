import { Readable } from 'node:stream';

/** A list that may be long, page by page. */
export type ListPages<Item> = AsyncIterable<readonly Item[]>;

export type ListText = {
  /** The JSON before the first item, and the JSON after the last one. */
  readonly head: string;
  readonly tail: (total: number) => string;
};

/** Writes the JSON of a long list page by page. A failure on the way cuts the answer off, which clients recognise as incomplete. */
export function streamList(pages: ListPages<unknown>, text: ListText): Readable {
  return Readable.from(textOf(pages, text), { objectMode: false });
}

async function* textOf(
  pages: ListPages<unknown>,
  { head, tail }: ListText,
): AsyncGenerator<string, void, void> {
  let total = 0;
  yield head;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield (total === 0 ? '' : ',') + page.map((item) => JSON.stringify(item)).join(',');
    total += page.length;
  }
  yield tail(total);
}
