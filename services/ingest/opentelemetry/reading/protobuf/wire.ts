import { BinaryReader } from '@bufbuild/protobuf/wire';
import { MalformedBody } from '../found.ts';
import { FLAG_KEY } from '../mapping.ts';

const FLAG_KEY_BYTES = Buffer.from(FLAG_KEY);

/** Of one record, span, event, point, resource or scope: more than 4,000 attributes have, and few enough to be read in one piece. */
const MAX_FIELDS = 20_000;
/** As many fields take as long as an item of a step: 2^6. */
const FIELDS_PER_ITEM_BITS = 6;

/** How the bytes of a field end. */
const [VARINT, BIT64, LENGTH_DELIMITED, BIT32] = [0, 1, 2, 5] as const;

/**
 * Reads the fields of messages one after the other, by the reader of @bufbuild/protobuf and without objects for what is not needed
 * (docs/develop/decisions/opentelemetry.md#115-read-otlp-from-the-wire-format):
 *
 *   for (let field = wire.next(end); field !== 0; field = wire.next(end))
 *     if (field === NAME) name = wire.text();
 *     else wire.skip();
 */
export class Wire {
  readonly #reader: BinaryReader;
  readonly #bytes: Buffer;
  /** Where the next flag is named, if the current position is not behind it. */
  #nextFlag = -1;
  /** How many fields the current item may still have. */
  #left = MAX_FIELDS;
  /** Of the current field. */
  #type: number = LENGTH_DELIMITED;

  constructor(bytes: Uint8Array) {
    // Parts of a Buffer cost more than those of its bytes.
    this.#reader = new BinaryReader(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get at(): number {
    return this.#reader.pos;
  }

  /** Goes back, to read a message again. */
  set at(position: number) {
    this.#reader.pos = position;
  }

  /**
   * Whether the message that ends at `end` has the name of the attribute for flags somewhere. A search of bytes costs a fraction of reading
   * them. Calls go forward, so that each byte is searched once.
   */
  mentionsFlag(end: number): boolean {
    if (this.at > this.#nextFlag) {
      const next = this.#bytes.indexOf(FLAG_KEY_BYTES, this.at);
      this.#nextFlag = next === -1 ? Infinity : next;
    }
    return this.#nextFlag + FLAG_KEY_BYTES.length <= end;
  }

  /** Begins to count the fields of an item. Returns how many items of a step the one before it was as long as. */
  beginItem(): number {
    const fields = MAX_FIELDS - this.#left;
    this.#left = MAX_FIELDS;
    return 1 + (fields >>> FIELDS_PER_ITEM_BITS);
  }

  /** The number of the next field of the message that ends at `end`; 0 behind the last one. */
  next(end: number): number {
    this.#left -= 1;
    if (this.#left < 0) throw new TooManyFields();
    return this.nextUncounted(end);
  }

  /** The same, for fields that are only skipped, such as items: to skip one takes a twentieth of reading it. */
  nextUncounted(end: number): number {
    const reader = this.#reader;
    if (reader.pos >= end) {
      if (reader.pos > end) throw new RangeError('a field ends behind its message');
      return 0;
    }
    const tag = reader.uint32();
    this.#type = tag & 7;
    if (tag < 8) throw new RangeError('no such field');
    return tag >>> 3;
  }

  /** Goes to the next embedded message of a field, and returns the end of it; 0 behind the last one. Other fields are skipped. */
  nextOf(field: number, end: number): number {
    for (let found = this.nextUncounted(end); found !== 0; found = this.nextUncounted(end)) {
      if (found === field) return this.end();
      this.skip();
    }
    return 0;
  }

  /** Skips a field without its bytes: the reader would return them, which costs more than to skip them. */
  skip(): void {
    const reader = this.#reader;
    if (this.#type === LENGTH_DELIMITED) reader.pos = this.end();
    else if (this.#type === VARINT) reader.uint32();
    else if (this.#type === BIT64) reader.pos += 8;
    else if (this.#type === BIT32) reader.pos += 4;
    // No message of the protocol has groups, which could nest without limit.
    else throw new TypeError('no such wire type');
  }

  /** The end of the embedded message that begins here. */
  end(): number {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#reader.uint32();
    return this.#reader.pos + length;
  }

  text(): string {
    this.#expect(LENGTH_DELIMITED);
    return this.#reader.string(true);
  }

  whole(): number {
    this.#expect(VARINT);
    return this.#reader.uint32();
  }

  isTrue(): boolean {
    this.#expect(VARINT);
    return this.#reader.bool();
  }

  /** A whole number of 64 bits with a sign. */
  integer(): bigint {
    this.#expect(VARINT);
    return BigInt(this.#reader.int64());
  }

  double(): number {
    this.#expect(BIT64);
    return this.#reader.double();
  }

  /** Rounded beyond 2^53. */
  signed(): number {
    this.#expect(BIT64);
    const low = this.#reader.fixed32();
    return this.#reader.sfixed32() * 2 ** 32 + low;
  }

  /** Nanoseconds since the epoch, as milliseconds with a fraction to a microsecond. */
  time(): number {
    this.#expect(BIT64);
    const low = this.#reader.fixed32();
    return millisecondsOf(low, this.#reader.fixed32());
  }

  #expect(type: number): void {
    if (this.#type !== type) throw new TypeError('another wire type');
  }
}

/** Of nanoseconds, as the lower and the higher 32 bits: with a fraction to a microsecond. */
export function millisecondsOf(low: number, high: number): number {
  // 2^32 nanoseconds are 4,294 ms and 967,296 ns. All numbers stay below 2^53, so that nothing moves to another hour.
  const rest = high * 967_296 + low;
  return high * 4294 + Math.floor(rest / 1e6) + Math.floor((rest % 1e6) / 1000) / 1000;
}

class TooManyFields extends MalformedBody {
  constructor() {
    super(`A record, span, event, point, resource or scope of the body has more than ${MAX_FIELDS} fields.`);
  }
}
