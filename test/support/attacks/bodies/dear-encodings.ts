import { gzipSync } from 'node:zlib';

type Bits = readonly (0 | 1)[];

const ZLIB_HEADER = Buffer.from([0x78, 0x9c]);
/** Of nothing. */
const ADLER = Buffer.from([0, 0, 0, 1]);
/** The order in which a block lists the lengths of the codes for lengths, and those codes that it needs. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];
const NEEDED = new Set([18, 1]);

/** A block of deflate without content. It has codes of its own, for which a decoder builds tables. */
const EMPTY_BLOCK: Bits = [
  ...bitsOf(0b100, 3),
  ...bitsOf(0, 10),
  ...bitsOf(ORDER.length - 4, 4),
  ...ORDER.flatMap((length) => bitsOf(NEEDED.has(length) ? 1 : 0, 3)),
  // No code for the 256 bytes, in two runs; one for the end of the block, and one for distances.
  ...[138, 118].flatMap((run) => bitsOf(1 | ((run - 11) << 1), 8)),
  ...bitsOf(0, 2),
  ...bitsOf(0, 1),
];
const LAST_BLOCK: Bits = bitsOf(0b011, 10);

/** A body in deflate of about so many bytes and no content. */
export function emptyBlocks(bytes: number): Buffer {
  // Eight of them end with a byte.
  const eight = bytesOf(Array.from({ length: 8 }, () => EMPTY_BLOCK).flat());
  const blocks = Buffer.alloc(Math.ceil(bytes / eight.length) * eight.length, eight);
  return Buffer.concat([ZLIB_HEADER, blocks, bytesOf(LAST_BLOCK), ADLER]);
}

/** A body in gzip of about so many bytes and no content, of parts that each have a header and a checksum. */
export function emptyMembers(bytes: number): Buffer {
  const member = gzipSync('');
  return Buffer.concat(Array.from({ length: Math.floor(bytes / member.length) }, () => member));
}

/** The lowest bit first, as deflate packs them. */
function bitsOf(value: number, count: number): Bits {
  return Array.from({ length: count }, (_, bit) => ((value >>> bit) & 1 ? 1 : 0));
}

function bytesOf(bits: Bits): Buffer {
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    bytes.writeUInt8(bytes.readUInt8(index >> 3) | (bit << (index & 7)), index >> 3);
  return bytes;
}
