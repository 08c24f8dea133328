const RECENT_OFFSETS = 1000n;

/** How many messages of a stored block could not be decoded. */
export type DeadBlock = { readonly from: bigint; readonly to: bigint; readonly dead: number };

/**
 * Detects a topic that is not ours: more than `maxDead` dead letters within 1,000 offsets of a partition. A few bad messages
 * are normal. Stored blocks are loaded, so that a restart keeps the count.
 */
export class PoisonGuard {
  readonly #maxDead: number;
  /** Offsets of the latest dead letters, within the distance of the limit. */
  #recent: readonly bigint[] = [];

  constructor(maxDead: number) {
    this.#maxDead = maxDead;
  }

  /** Whether these offsets of dead letters, which are sorted and follow all earlier ones, exceed the limit. */
  isFlood(offsets: readonly bigint[]): boolean {
    const dead = [...this.#recent, ...offsets];
    return offsets.some((offset, index) => {
      const first = dead[this.#recent.length + index - this.#maxDead];
      return first !== undefined && offset - first < RECENT_OFFSETS;
    });
  }

  remember(offsets: readonly bigint[]): void {
    const dead = [...this.#recent, ...offsets];
    this.#recent = dead.slice(Math.max(0, dead.length - this.#maxDead));
  }

  /** Loads stored blocks, oldest first. Their dead letters count as evenly spread. */
  load(blocks: readonly DeadBlock[]): void {
    for (const { from, to, dead } of blocks) {
      const step = Number(to - from) / dead;
      this.remember(Array.from({ length: dead }, (_, index) => from + BigInt(Math.floor(index * step))));
    }
  }
}
