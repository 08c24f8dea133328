/** Where a stored block ends in its partition. */
export type BlockEnd = {
  readonly messages: number;
  /** Append time of its last message by the broker's clock, epoch milliseconds. */
  readonly appendedTo: number;
};

/** What a block counts as most. A broker's clock that jumps forwards, as another leader's may, cannot count as more. */
const MAX_BLOCK_MS = 5000;
/** What a message counts as least. A broker's clock that does not advance cannot make us read all blocks. */
const MESSAGES_PER_MS = 40;

/**
 * How much older the blocks before this one become by it, in whole milliseconds. Only differences of append times count. So it does
 * not matter what time the broker's clock shows, and two leaders may show different times.
 */
export function ageingBy({ messages, appendedTo }: BlockEnd, previous: BlockEnd): number {
  const passedMs = Math.min(appendedTo - previous.appendedTo, MAX_BLOCK_MS);
  return Math.max(passedMs, Math.ceil(messages / MESSAGES_PER_MS));
}

/** The latest blocks of a partition, up to an age. They depend on the ends of the blocks only. */
export class RecentBlocks<B extends BlockEnd> {
  readonly #keptMs: number;
  readonly #blocks: { readonly block: B; readonly at: number }[] = [];
  #now = 0;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  get oldest(): B | undefined {
    return this.#blocks[0]?.block;
  }

  /** Adds the next block. Returns the blocks that are too old now. */
  add(block: B): B[] {
    const previous = this.#blocks.at(-1)?.block;
    if (previous !== undefined) this.#now += ageingBy(block, previous);
    this.#blocks.push({ block, at: this.#now });
    const kept = this.#blocks.findIndex(({ at }) => at >= this.#now - this.#keptMs);
    return this.#blocks.splice(0, kept).map((old) => old.block);
  }
}
