/** Bits, the lowest first, as deflate packs them. */
class Bits {
  readonly #bits: number[] = [];

  add(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1) this.#bits.push((value >>> bit) & 1);
  }

  repeated(times: number, end: Bits): Buffer {
    const all = [...Array.from({ length: times }, () => this.#bits).flat(), ...end.#bits];
    const bytes = Buffer.alloc(Math.ceil(all.length / 8));
    for (const [index, bit] of all.entries())
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (bit << (index & 7));
    return bytes;
  }

  get length(): number {
    return this.#bits.length;
  }
}

const ZLIB_HEADER = Buffer.from([0x78, 0x9c]);
/** Of nothing. */
const ADLER = Buffer.from([0, 0, 0, 1]);
/** The order in which a block lists the lengths of the codes for lengths, and those that it needs. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];
const NEEDED = new Set([18, 1]);

/** A body in deflate of so many bytes and no content. Each of its blocks has codes of its own, for which a decoder builds tables. */
export function emptyBlocks(bytes: number): Buffer {
  const block = new Bits();
  block.add(0b100, 3);
  block.add(0, 10);
  block.add(ORDER.length - 4, 4);
  for (const length of ORDER) block.add(NEEDED.has(length) ? 1 : 0, 3);
  // No code for the 256 bytes, in two runs; one for the end of the block, and one for distances.
  for (const run of [138, 118]) block.add(1 | ((run - 11) << 1), 8);
  block.add(0, 2);
  block.add(0, 1);
  const end = new Bits();
  end.add(0b011, 10);
  const times = Math.floor((bytes * 8) / block.length);
  return Buffer.concat([ZLIB_HEADER, block.repeated(times, end), ADLER]);
}
