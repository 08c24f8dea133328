import { ownerOfBatch } from '../batch/batch-id.ts';

/** How many ids are remembered: of one owner, and of all together. */
export type RememberedLimits = { readonly each: number; readonly all: number };

/** The ids of one owner in one block. They are empty when they are forgotten. */
export type RememberedPart = { readonly owner: string; ids: readonly string[] };

/**
 * The batch ids that are remembered, oldest first. An owner above its limit forgets its own oldest part, so that it takes the room of
 * no other. Which parts are left depends on the later ids only: a worker that reads the last blocks remembers the same ones.
 */
export class RememberedIds {
  readonly #limits: RememberedLimits;
  readonly #onForgotten: (id: string) => void;
  readonly #all = new Parts();
  readonly #owners = new Map<string, Parts>();

  constructor(limits: RememberedLimits, onForgotten: (id: string) => void) {
    this.#limits = limits;
    this.#onForgotten = onForgotten;
  }

  /** Adds the ids of the next block. Returns them by owner, for `forget`. */
  add(ids: readonly string[]): RememberedPart[] {
    const parts = partsOf(ids);
    for (const part of parts) {
      const own = this.#owners.get(part.owner) ?? new Parts();
      this.#owners.set(part.owner, own);
      own.push(part);
      this.#all.push(part);
      while (own.size > this.#limits.each) this.forget(own.oldest);
    }
    while (this.#all.size > this.#limits.all) this.forget(this.#all.oldest);
    return parts;
  }

  /** Forgets parts. They must be the oldest that are left, of all owners or of their own. */
  forget(parts: readonly RememberedPart[]): void {
    for (const part of parts) {
      const own = this.#owners.get(part.owner);
      const { ids } = part;
      part.ids = [];
      for (const id of ids) this.#onForgotten(id);
      this.#all.shrink(ids.length);
      own?.shrink(ids.length);
      if (own?.size === 0) this.#owners.delete(part.owner);
    }
  }
}

/** Parts in the order in which they came, and the number of ids that they still have. */
class Parts {
  #size = 0;
  readonly #parts: RememberedPart[] = [];

  get size(): number {
    return this.#size;
  }

  /** The first part that has ids, if any has. */
  get oldest(): readonly RememberedPart[] {
    return this.#parts.slice(0, 1);
  }

  push(part: RememberedPart): void {
    this.#parts.push(part);
    this.#size += part.ids.length;
  }

  /** Call it when a part has lost so many ids. */
  shrink(ids: number): void {
    this.#size -= ids;
    const empty = this.#parts.findIndex((part) => part.ids.length > 0);
    this.#parts.splice(0, empty < 0 ? this.#parts.length : empty);
  }
}

function partsOf(ids: readonly string[]): RememberedPart[] {
  const byOwner = new Map<string, string[]>();
  for (const id of ids) {
    const owner = ownerOfBatch(id);
    const own = byOwner.get(owner);
    if (own === undefined) byOwner.set(owner, [id]);
    else own.push(id);
  }
  return [...byOwner].map(([owner, own]) => ({ owner, ids: own }));
}
