import { ownerOfBatch } from '#core/counting';

/** Takes about 16 MiB, because ids and senders have a fixed size. */
export const MAX_REMEMBERED = 20_000;

type StoredBatch = { readonly sender: string; readonly until: number };

/**
 * The latest batches of known senders that Kafka has stored. When it is full, the token with the most batches forgets its oldest: a token
 * may take all places that the others leave, but pushes out none of their batches.
 */
export class StoredBatches {
  readonly #maxAgeMs: number;
  /** All in the order in which they came, and the same by token. */
  readonly #batches = new Map<string, StoredBatch>();
  readonly #byOwner = new Map<string, Set<string>>();
  /** How many batches a sender has here. */
  readonly #senders = new Map<string, number>();

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  add({ batchId, sender }: { readonly batchId: string; readonly sender: string }): void {
    this.#forget(batchId);
    if (this.#batches.size >= MAX_REMEMBERED) this.#makeRoom(ownerOfBatch(batchId));
    this.#batches.set(batchId, { sender, until: Date.now() + this.#maxAgeMs });
    this.#senders.set(sender, (this.#senders.get(sender) ?? 0) + 1);
    const own = this.#byOwner.get(ownerOfBatch(batchId)) ?? new Set();
    this.#byOwner.set(ownerOfBatch(batchId), own.add(batchId));
  }

  has(batchId: string): boolean {
    this.#forgetOld();
    return this.#batches.has(batchId);
  }

  hasSender(sender: string): boolean {
    this.#forgetOld();
    return this.#senders.has(sender);
  }

  #forgetOld(): void {
    const now = Date.now();
    for (const [batchId, { until }] of this.#batches) {
      if (until > now) return;
      this.#forget(batchId);
    }
  }

  /** There are far fewer tokens than batches, and mostly one. */
  #makeRoom(owner: string): void {
    this.#forgetOld();
    let largest = this.#byOwner.get(owner) ?? new Set<string>();
    for (const own of this.#byOwner.values()) if (own.size > largest.size) largest = own;
    const [oldest] = largest;
    if (oldest !== undefined && this.#batches.size >= MAX_REMEMBERED) this.#forget(oldest);
  }

  #forget(batchId: string): void {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) return;
    this.#batches.delete(batchId);
    const ofSender = (this.#senders.get(batch.sender) ?? 0) - 1;
    if (ofSender > 0) this.#senders.set(batch.sender, ofSender);
    else this.#senders.delete(batch.sender);
    const own = this.#byOwner.get(ownerOfBatch(batchId));
    own?.delete(batchId);
    if (own?.size === 0) this.#byOwner.delete(ownerOfBatch(batchId));
  }
}
