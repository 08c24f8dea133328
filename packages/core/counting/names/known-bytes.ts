import { HASH_FACTOR, HASH_SEED } from './name-hash.ts';

const FIRST_PLACES = 16;
const FIRST_BYTES = 1024;
/** Shorter ones have no word, and longer ones take more than they save. */
const LENGTH = { min: 4, max: 4096 } as const;

export type KnownBytesLimits = { readonly values: number; readonly bytes: number };

/** The values of short lists of bytes, found by a hash and compared in full. When it is full, it forgets all. */
export class KnownBytes<Value> {
  readonly #limits: KnownBytesLimits;
  #values: Value[] = [];
  /** Triples: start, length, hash. */
  #places = new Int32Array(FIRST_PLACES * 3);
  /** A slot holds the index of a value plus one, because 0 means free. The table is twice as large as needed. */
  #slots = new Int32Array(FIRST_PLACES * 2);
  #bytes = new Uint8Array(FIRST_BYTES);
  #view = viewOf(this.#bytes);
  #end = 0;

  constructor(limits: KnownBytesLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#values.length;
  }

  /** What it takes beside its values. */
  get bytes(): number {
    return this.#bytes.length + this.#places.byteLength + this.#slots.byteLength;
  }

  find(view: DataView, start: number, length: number): Value | undefined {
    if (length < LENGTH.min || length > LENGTH.max) return undefined;
    const hash = hashOf(view, start, length);
    const slots = this.#slots;
    const places = this.#places;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let index = (slots[slot] ?? 0) - 1; index >= 0; index = (slots[slot] ?? 0) - 1) {
      const isSameHash = places[index * 3 + 2] === hash && places[index * 3 + 1] === length;
      if (isSameHash && this.#holds(view, start, { from: places[index * 3] ?? 0, length }))
        return this.#values[index];
      slot = (slot + 1) & mask;
    }
    return undefined;
  }

  /** Adds bytes that `find` does not find. */
  add(
    view: DataView,
    { start, length }: { readonly start: number; readonly length: number },
    value: Value,
  ): void {
    if (length < LENGTH.min || length > LENGTH.max) return;
    const isFull = this.size >= this.#limits.values || this.#end + length > this.#limits.bytes;
    if (isFull) this.#forgetAll();
    if ((this.size + 1) * 3 > this.#places.length) this.#growPlaces();
    if (this.#end + length > this.#bytes.length) this.#growBytes(length);
    this.#bytes.set(new Uint8Array(view.buffer, view.byteOffset + start, length), this.#end);
    const index = this.#values.push(value) - 1;
    this.#places.set([this.#end, length, hashOf(view, start, length)], index * 3);
    this.#place(index);
    this.#end += length;
  }

  #holds(
    view: DataView,
    start: number,
    { from, length }: { readonly from: number; readonly length: number },
  ): boolean {
    const known = this.#view;
    const last = length - 4;
    for (let i = 0; i < last; i += 4)
      if (view.getInt32(start + i, true) !== known.getInt32(from + i, true)) return false;
    return view.getInt32(start + last, true) === known.getInt32(from + last, true);
  }

  #place(index: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#places[index * 3 + 2] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = index + 1;
  }

  #growPlaces(): void {
    const places = new Int32Array(this.#places.length * 2);
    places.set(this.#places);
    this.#places = places;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let index = 0; index < this.size; index += 1) this.#place(index);
  }

  #growBytes(length: number): void {
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.#end + length));
    bytes.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  #forgetAll(): void {
    this.#values = [];
    this.#slots.fill(0);
    this.#end = 0;
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Four bytes at a time; the last four may overlap. The shift carries a difference in the highest bits to the lower ones. */
function hashOf(view: DataView, start: number, length: number): number {
  const last = start + length - 4;
  let hash = HASH_SEED;
  for (let at = start; at < last; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at, true), HASH_FACTOR);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ view.getInt32(last, true), HASH_FACTOR);
  return hash ^ (hash >>> 15);
}
