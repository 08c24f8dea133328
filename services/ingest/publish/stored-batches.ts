import { ownerOfBatch } from '#core/counting';

/** Takes about 16 MiB, because ids and senders have a fixed size. */
export const MAX_REMEMBERED = 20_000;

type StoredBatch = { readonly batchId: string; readonly sender: string; until: number };

/**
 * The latest batches of known senders that Kafka has stored. When it is full, the token with the most batches forgets its oldest: a token
 * may take all places that the others leave, but pushes out none of their batches.
 */
export class StoredBatches {
  readonly #maxAgeMs: number;
  readonly #batches = new Map<string, StoredBatch>();
  /** The same by token. To find the oldest in a Map, V8 passes all that were deleted before it, which took a tenth of a small request. */
  readonly #queues = new Map<string, Queue>();
  /** How many batches a sender has here, and until when the latest is remembered. */
  readonly #senders = new Map<string, { batches: number; until: number }>();

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** A repetition is remembered for longer, in its place. */
  add({ batchId, sender }: { readonly batchId: string; readonly sender: string }): void {
    const now = Date.now();
    const until = now + this.#maxAgeMs;
    const ofSender = this.#senders.get(sender) ?? { batches: 0, until };
    const known = this.#batches.get(batchId);
    if (known === undefined) {
      if (this.#batches.size >= MAX_REMEMBERED) this.#makeRoom(now);
      const batch = { batchId, sender, until };
      this.#batches.set(batchId, batch);
      this.#queueOf(ownerOfBatch(batchId)).push(batch);
      ofSender.batches += 1;
    } else known.until = until;
    ofSender.until = until;
    this.#senders.set(sender, ofSender);
  }

  has(batchId: string): boolean {
    return (this.#batches.get(batchId)?.until ?? 0) > Date.now();
  }

  hasSender(sender: string): boolean {
    return (this.#senders.get(sender)?.until ?? 0) > Date.now();
  }

  #queueOf(owner: string): Queue {
    const known = this.#queues.get(owner);
    if (known !== undefined) return known;
    const queue = new Queue();
    this.#queues.set(owner, queue);
    return queue;
  }

  /** There are far fewer tokens than batches, and mostly one. */
  #makeRoom(now: number): void {
    let largest = new Queue();
    for (const [owner, queue] of this.#queues) {
      while ((queue.oldest?.until ?? Infinity) <= now) this.#forgetOldest(queue);
      if (queue.size === 0) this.#queues.delete(owner);
      if (queue.size > largest.size) largest = queue;
    }
    if (this.#batches.size >= MAX_REMEMBERED) this.#forgetOldest(largest);
  }

  #forgetOldest(queue: Queue): void {
    const batch = queue.shift();
    if (batch === undefined) return;
    this.#batches.delete(batch.batchId);
    const ofSender = this.#senders.get(batch.sender);
    if (ofSender === undefined) return;
    ofSender.batches -= 1;
    if (ofSender.batches === 0) this.#senders.delete(batch.sender);
  }
}

/** The batches of a token in the order in which they came. */
class Queue {
  readonly #batches: StoredBatch[] = [];
  #first = 0;

  get size(): number {
    return this.#batches.length - this.#first;
  }

  get oldest(): StoredBatch | undefined {
    return this.#batches[this.#first];
  }

  push(batch: StoredBatch): void {
    this.#batches.push(batch);
  }

  /** Moves the rest only when half of the places are empty. */
  shift(): StoredBatch | undefined {
    const { oldest } = this;
    if (oldest === undefined) return undefined;
    this.#first += 1;
    if (this.#first * 2 >= this.#batches.length) this.#first -= this.#batches.splice(0, this.#first).length;
    return oldest;
  }
}
