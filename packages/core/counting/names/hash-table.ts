const FIRST_SLOTS = 16;

/**
 * A bounded set of 32-bit hashes. Each takes 8 to 16 bytes; in a Set it takes 40. It uses open addressing and never removes a
 * hash.
 */
export class HashTable {
  size = 0;
  readonly limit: number;
  readonly #onGrow: (bytes: number) => void;
  /** 0 means a free slot. */
  #slots = new Int32Array(FIRST_SLOTS);

  /** `onGrow` receives the number of additional bytes, at once for the first ones. */
  constructor(limit: number, onGrow: (bytes: number) => void) {
    this.limit = limit;
    this.#onGrow = onGrow;
    onGrow(this.bytes);
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  has(hash: number): boolean {
    return this.#slots[this.#slotOf(hash === 0 ? 1 : hash)] !== 0;
  }

  /** Whether the hash is known or there is room for it, which it then takes. */
  admit(hash: number): boolean {
    const kept = hash === 0 ? 1 : hash;
    const slot = this.#slotOf(kept);
    if (this.#slots[slot] === kept) return true;
    if (this.size >= this.limit) return false;
    this.#slots[slot] = kept;
    this.size += 1;
    if (this.size * 2 > this.#slots.length) this.#grow();
    return true;
  }

  /** The slot of the hash, or the free slot where it belongs. */
  #slotOf(hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (const hash of old) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash;
    this.#onGrow(this.bytes - old.byteLength);
  }
}
