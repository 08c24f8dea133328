const RECENT_OFFSETS = 1000n;

/** How many messages of a stored block could not be decoded. */
export type DeadBlock = { readonly from: bigint; readonly to: bigint; readonly dead: number };

/**
 * Distinguishes a few bad messages among good ones from a topic that is not ours: more than `maxDead` dead letters within
 * 1,000 offsets of a partition. Stored blocks are loaded, so that a restart forgets nothing.
 */
export class PoisonGuard {
  readonly #maxDead: number;
  /** Offsets of the latest dead letters, as many as the limit looks back. */
  #recent: readonly bigint[] = [];

  constructor(maxDead: number) {
    this.#maxDead = maxDead;
  }

  /** Whether dead letters at these offsets, in order and behind all before, pass the limit. */
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

  /** Takes over what is known of stored blocks, oldest first: their dead letters, as if spread evenly. */
  load(blocks: readonly DeadBlock[]): void {
    for (const { from, to, dead } of blocks) {
      const step = Number(to - from) / dead;
      this.remember(Array.from({ length: dead }, (_, index) => from + BigInt(Math.floor(index * step))));
    }
  }
}
