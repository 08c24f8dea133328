export type RoomLimits = {
  /** The maximum for one owner. */
  readonly each: number;
  /** The maximum for all owners together. */
  readonly all: number;
};

/** The amounts that owners (addresses, tokens, callers) hold at the moment. An owner that holds nothing is forgotten. */
export class Room {
  readonly limits: RoomLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: RoomLimits) {
    this.limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** The largest amount that any owner holds. */
  get max(): number {
    return Math.max(0, ...this.#held.values());
  }

  hasFor(owner: string, amount = 1): boolean {
    const { each, all } = this.limits;
    return (this.#held.get(owner) ?? 0) + amount <= each && this.#total + amount <= all;
  }

  /** Reserves the amount; returns false and reserves nothing if there is no room. */
  reserve(owner: string, amount = 1): boolean {
    if (!this.hasFor(owner, amount)) return false;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + amount);
    this.#total += amount;
    return true;
  }

  giveBack(owner: string, amount = 1): void {
    const left = (this.#held.get(owner) ?? 0) - amount;
    if (left === 0) this.#held.delete(owner);
    else this.#held.set(owner, left);
    this.#total -= amount;
  }
}
