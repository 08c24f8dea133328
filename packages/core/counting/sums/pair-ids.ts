import { hashOfPair } from '../names/name-hash.ts';

/** A power of two. Each request on the general path creates five tables, most of them for a pair or two: longer arrays would not be on the heap of V8. */
const FIRST_ROOM = 8;

/** A longer table is not used again: to clear it would cost a short body more than to create one. */
const MAX_USED_AGAIN = 4096;

/**
 * Assigns ids 0, 1, 2, ... to pairs of whole numbers (below 2^31), in the order of their first use. It is an open-addressed
 * table of integers that doubles when it is full, so the garbage collector has no objects to visit.
 */
export class PairIds {
  #pairs = new Int32Array(FIRST_ROOM * 2);
  /** A slot holds the id plus one, because 0 means free. The table is twice as large as needed, which keeps searches short. */
  #slots = new Int32Array(FIRST_ROOM * 2);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Forgets all pairs. */
  clear(): void {
    if (this.#slots.length > MAX_USED_AGAIN) {
      this.#pairs = new Int32Array(FIRST_ROOM * 2);
      this.#slots = new Int32Array(FIRST_ROOM * 2);
    } else if (this.#count > 0) this.#slots.fill(0);
    this.#count = 0;
  }

  /** How many ids fit before the table grows. */
  get room(): number {
    return this.#pairs.length / 2;
  }

  first(id: number): number {
    return this.#pairs[id * 2] ?? 0;
  }

  second(id: number): number {
    return this.#pairs[id * 2 + 1] ?? 0;
  }

  idOf(first: number, second: number): number {
    const slot = this.#slotOf(first, second);
    const id = (this.#slots[slot] ?? 0) - 1;
    return id >= 0 ? id : this.#add(slot, first, second);
  }

  /** Gives the pair of an id another id, which `idOf` returns from now on. */
  renew(id: number): number {
    const [first, second] = [this.first(id), this.second(id)];
    return this.#add(this.#slotOf(first, second), first, second);
  }

  /** The slot of the pair, or the free slot where it belongs. */
  #slotOf(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    const hash = hashOfPair(first, second);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let id = (this.#slots[slot] ?? 0) - 1; id >= 0; id = (this.#slots[slot] ?? 0) - 1) {
      if (this.#pairs[id * 2] === first && this.#pairs[id * 2 + 1] === second) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #add(slot: number, first: number, second: number): number {
    const id = this.#count;
    this.#count += 1;
    this.#slots[slot] = id + 1;
    this.#pairs[id * 2] = first;
    this.#pairs[id * 2 + 1] = second;
    if (this.#count === this.room) this.#grow();
    return id;
  }

  /** Inserts in the order of ids, so that the last id of a pair keeps its slot. */
  #grow(): void {
    const pairs = new Int32Array(this.#pairs.length * 2);
    pairs.set(this.#pairs);
    this.#pairs = pairs;
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let id = 0; id < this.#count; id += 1)
      this.#slots[this.#slotOf(this.first(id), this.second(id))] = id + 1;
  }
}
