/** A batch that was counted: its id and its receipt in epoch milliseconds. */
export type CountedBatch = { readonly batchId: string; readonly receivedAt: number };

/**
 * Recognises batches that a partition has counted already. Which ids it holds at a block border depends only on
 * the blocks before it: `horizonMs` behind the latest receipt among them. So a worker that has just read the
 * stored blocks and one that has counted them itself decide alike.
 */
export class DuplicateWindow {
  readonly #windowMs: number;
  readonly #receivedAt = new Map<string, number>();
  #latest = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get size(): number {
    return this.#receivedAt.size;
  }

  /** How far behind the latest receipt ids must be known: a request may wait in the queue of a partition before it is stored. */
  get horizonMs(): number {
    return horizonOf(this.#windowMs);
  }

  /** Starts the next block. `claim` remembers a batch and returns whether its id is new; `commit` keeps the ids of this block. */
  begin(): { claim(batch: CountedBatch): boolean; commit(): void } {
    const added = new Map<string, number>();
    return {
      claim: ({ batchId, receivedAt }) => {
        const seen = added.get(batchId) ?? this.#receivedAt.get(batchId);
        if (seen !== undefined && Math.abs(receivedAt - seen) < this.#windowMs) return false;
        added.set(batchId, Math.max(receivedAt, seen ?? 0));
        return true;
      },
      commit: () => {
        for (const [batchId, receivedAt] of added) this.#add({ batchId, receivedAt });
        this.#forget();
      },
    };
  }

  /** Adds what earlier blocks counted, as read from the store. */
  load(batches: Iterable<CountedBatch>): void {
    for (const batch of batches) this.#add(batch);
    this.#forget();
  }

  #add({ batchId, receivedAt }: CountedBatch): void {
    this.#receivedAt.set(batchId, Math.max(receivedAt, this.#receivedAt.get(batchId) ?? 0));
    this.#latest = Math.max(this.#latest, receivedAt);
  }

  #forget(): void {
    const horizon = this.#latest - this.horizonMs;
    for (const [batchId, receivedAt] of this.#receivedAt) {
      if (receivedAt < horizon) this.#receivedAt.delete(batchId);
    }
  }
}

/** Twice the window, and never under two minutes, because requests wait up to half a minute in the queue of a partition. */
export function horizonOf(windowMs: number): number {
  return Math.max(2 * windowMs, 120_000);
}
