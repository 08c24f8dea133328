const RECENT_OFFSETS = 1000n;

/**
 * Tells a few bad messages among good ones from a topic that is not ours: more than `maxDead` dead letters within
 * the last 1,000 offsets of a partition. It is fed from stored blocks too, so that a restart forgets nothing.
 */
export class PoisonGuard {
  readonly #maxDead: number;
  #blocks: { readonly to: bigint; readonly dead: number }[] = [];

  constructor(maxDead: number) {
    this.#maxDead = maxDead;
  }

  /** Whether storing a block with so many dead letters would pass the limit. */
  isFlood(block: { readonly from: bigint; readonly dead: number }): boolean {
    if (block.dead === 0) return false;
    this.#blocks = this.#blocks.filter(({ to }) => to > block.from - RECENT_OFFSETS);
    const recent = this.#blocks.reduce((sum, { dead }) => sum + dead, 0);
    return recent + block.dead > this.#maxDead;
  }

  remember(block: { readonly to: bigint; readonly dead: number }): void {
    if (block.dead > 0) this.#blocks.push({ to: block.to, dead: block.dead });
  }
}
