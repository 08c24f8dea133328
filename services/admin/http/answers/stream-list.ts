import { Readable } from 'node:stream';

/** A list that may be long, page by page, and the JSON around its items. */
export class LongList {
  readonly pages: ListPages<unknown>;
  readonly text: ListText;

  constructor(pages: ListPages<unknown>, text: ListText) {
    this.pages = pages;
    this.text = text;
  }
}

export type ListPages<Item> = AsyncIterable<readonly Item[]>;

export type ListText = {
  /** The JSON before the first item, and the JSON after the last one. */
  readonly head: string;
  readonly tail: (total: number) => string;
};

/** Reads one page when it is the caller's turn. */
export type InTurn = <T>(readPage: () => Promise<T>) => Promise<T>;

/** Writes the JSON of a long list page by page. A failure on the way cuts the answer off, which clients recognise as incomplete. */
export function streamList(list: LongList, inTurn: InTurn): Readable {
  return Readable.from(textOf(list, inTurn), { objectMode: false });
}

async function* textOf(
  { pages, text: { head, tail } }: LongList,
  inTurn: InTurn,
): AsyncGenerator<string, void, void> {
  let total = 0;
  yield head;
  for await (const page of readInTurn(pages, inTurn)) {
    if (page.length === 0) continue;
    yield (total === 0 ? '' : ',') + page.map((item) => JSON.stringify(item)).join(',');
    total += page.length;
  }
  yield tail(total);
}

async function* readInTurn<Item>(
  pages: ListPages<Item>,
  inTurn: InTurn,
): AsyncGenerator<readonly Item[], void, void> {
  const reader = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTurn(() => reader.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await reader.return?.();
  }
}
