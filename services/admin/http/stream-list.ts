import { Readable } from 'node:stream';

/** A list that may be long, a page at a time. */
export type ListPages<Item> = AsyncIterable<readonly Item[]>;

export type ListText = {
  /** JSON up to the first item, and after the last one. */
  readonly head: string;
  readonly tail: (total: number) => string;
};

/** JSON of a long list, written as its pages come. A failure on the way cuts the answer short, which no client takes for whole. */
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
