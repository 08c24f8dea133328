import { Readable } from 'node:stream';

/** A list that is longer is sent while it is being read. */
const MAX_BYTES = 128 * 1024;

/** Reads a list and returns it as one buffer if it is short. Otherwise returns a stream of the whole list. */
export async function gatherShort(list: Readable): Promise<Buffer | Readable> {
  const pages = list[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer | string>;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const { done = false, value } = (await pages.next()) as IteratorResult<Buffer | string, undefined>;
    if (done || value === undefined) return Buffer.concat(chunks, bytes);
    const chunk = Buffer.from(value as string);
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BYTES) break;
  }
  const whole = Readable.from(follow(chunks, pages), { objectMode: false });
  // The generator does not run at all if no one reads it.
  whole.once('close', () => list.destroy());
  return whole;
}

async function* follow(
  chunks: readonly Buffer[],
  pages: AsyncIterableIterator<Buffer | string>,
): AsyncGenerator<Buffer | string, void, void> {
  yield* chunks;
  yield* pages;
}
