import type { ByteWriter } from '../encoding/byte-writer.ts';
import { hashOfName } from '../names/name-hash.ts';
import { COMMA, QUOTE, codeOf } from './byte-cursor.ts';

const BRACKET = codeOf('[');
const BRACKET_END = codeOf(']');

/** Enough for a body of 100 kB. A larger one takes the general path. */
const MAX_NAMES = 8192;
/** The tables are twice as large as needed, which keeps searches short. */
export const MAX_SLOTS = 16_384;

/** Means none: no room for a name, group or row, or the end of a list. */
export const NONE = -1;

/** The names of a body. They do not become strings but stay positions in the bytes. */
export class FastNames {
  #bytes: Uint8Array = new Uint8Array();
  #count = 0;
  readonly #starts = new Int32Array(MAX_NAMES);
  readonly #lengths = new Int32Array(MAX_NAMES);
  readonly #hashes = new Int32Array(MAX_NAMES);
  readonly #marks = new Int32Array(MAX_NAMES);
  #mark = 0;
  /** A slot holds the id plus one, because 0 means free. A short body uses, and clears, only the beginning. */
  readonly #slots = new Int32Array(MAX_SLOTS);
  #size = 0;

  /** Forgets all names; `slots` is a power of two. */
  begin(bytes: Uint8Array, slots: number): void {
    this.#bytes = bytes;
    this.#size = slots;
    this.#slots.fill(0, 0, slots);
    this.#count = 0;
    this.#mark = 0;
  }

  /** The id of the name at a position of the bytes. */
  idOf(hash: number, start: number, length: number): number {
    const slots = this.#slots;
    const mask = this.#size - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let id = (slots[slot] ?? 0) - 1; id >= 0; id = (slots[slot] ?? 0) - 1) {
      if (this.#lengths[id] === length && this.#isEqual(this.#starts[id] ?? 0, start, length)) return id;
      slot = (slot + 1) & mask;
    }
    if (this.#count * 2 >= this.#size) return NONE;
    const id = this.#count;
    this.#count += 1;
    this.#starts[id] = start;
    this.#lengths[id] = length;
    this.#hashes[id] = hash;
    this.#marks[id] = 0;
    slots[slot] = id + 1;
    return id;
  }

  /** The id of a name that is not in the bytes. It must be ASCII that needs no escapes in JSON. */
  idOfText(name: string): number {
    const start = this.#bytes.length;
    this.#bytes = Buffer.concat([this.#bytes, Buffer.from(name, 'latin1')]);
    return this.idOf(hashOfName(name), start, name.length);
  }

  /** Removes the marks of names. */
  beginMarking(): void {
    this.#mark += 1;
  }

  /** Marks a name; false if it is already marked. */
  mark(id: number): boolean {
    if (this.#marks[id] === this.#mark) return false;
    this.#marks[id] = this.#mark;
    return true;
  }

  isName(id: number, name: string): boolean {
    const start = this.#starts[id] ?? 0;
    const length = this.#lengths[id] ?? 0;
    if (length !== name.length) return false;
    for (let i = 0; i < length; i += 1) if (this.#bytes[start + i] !== name.charCodeAt(i)) return false;
    return true;
  }

  /** The hash with which `idOf` was called. */
  hashOf(id: number): number {
    return this.#hashes[id] ?? 0;
  }

  /** These names need no escapes in JSON: they contain no quote and no backslash. */
  write(writer: ByteWriter): void {
    writer.byte(BRACKET);
    for (let id = 0; id < this.#count; id += 1) {
      if (id > 0) writer.byte(COMMA);
      writer.byte(QUOTE);
      writer.copy(this.#bytes, this.#starts[id] ?? 0, this.#lengths[id] ?? 0);
      writer.byte(QUOTE);
    }
    writer.byte(BRACKET_END);
  }

  #isEqual(a: number, b: number, length: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < length; i += 1) if (bytes[a + i] !== bytes[b + i]) return false;
    return true;
  }
}
