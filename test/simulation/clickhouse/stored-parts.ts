import { Content } from './content.ts';
import type { Part } from './insert-rows.ts';

/** A part that Keeper knows. `storedAt`: epoch milliseconds. */
export type CommittedPart = { readonly part: Part; readonly storedAt: number };

/** Which of the committed parts one server has. */
export class StoredParts {
  content = new Content();
  readonly #committed: readonly CommittedPart[];
  /** The parts before this index are here. */
  #applied = 0;
  /** Later ones that are here. */
  readonly #ahead = new Set<number>();

  constructor(committed: readonly CommittedPart[]) {
    this.#committed = committed;
  }

  has(index: number): boolean {
    return index < this.#applied || this.#ahead.has(index);
  }

  take(index: number): void {
    const taken = this.#committed[index];
    if (taken === undefined || this.has(index)) return;
    this.content.add(taken.part, taken.storedAt);
    this.#ahead.add(index);
    while (this.#ahead.delete(this.#applied)) this.#applied += 1;
  }

  get isComplete(): boolean {
    return this.#applied === this.#committed.length;
  }

  *missing(): Generator<number> {
    for (let index = this.#applied; index < this.#committed.length; index += 1)
      if (!this.has(index)) yield index;
  }

  countMissing(table: string): number {
    return [...this.missing()].filter((index) => this.#committed[index]?.part.table === table).length;
  }

  /** Parts from the first missing one on. */
  countFromFirstMissing(table: string): number {
    return this.#committed.slice(this.#applied).filter(({ part }) => part.table === table).length;
  }

  /** Has the committed parts and nothing else. */
  readAgain(): void {
    this.content = new Content();
    this.#applied = 0;
    this.#ahead.clear();
    for (const index of this.#committed.keys()) this.take(index);
  }
}
