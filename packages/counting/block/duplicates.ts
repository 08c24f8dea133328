/** A counted batch: its id and its receipt time in epoch milliseconds. */
export type CountedBatch = { readonly batchId: string; readonly receivedAt: number };

/**
 * Recognises batches that a partition has already counted. At the end of a block, it holds the ids of earlier blocks with a
 * receipt time at most `horizonMs` before the latest one. So a worker that read the stored blocks decides like one that counted
 * them.
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

  /**
   * How far before the latest receipt time ids must be known. A request may wait in the queue of a partition before it is
   * stored.
   */
  get horizonMs(): number {
    return horizonOf(this.#windowMs);
  }

  /** Starts the next block. `claim` records a batch and returns whether its id is new; `commit` keeps the ids of the block. */
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

  /** Adds the batches that earlier blocks counted, as read from ClickHouse. */
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

/** Twice the window, and at least two minutes, because a request may wait half a minute in the queue of a partition. */
export function horizonOf(windowMs: number): number {
  return Math.max(2 * windowMs, 120_000);
}
