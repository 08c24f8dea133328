import { type BlockEnd, RecentBlocks } from './recent-blocks.ts';
import { type RememberedPart, RememberedIds, type RememberedLimits } from './remembered-ids.ts';

/** A counted batch: its id, and its receipt time by the clock of the ingest process that took it, in epoch milliseconds. */
export type CountedBatch = { readonly batchId: string; readonly receivedAt: number };

/** The batches that a stored block counted. */
export type CountedBlock = BlockEnd & { readonly batches: readonly CountedBatch[] };

/**
 * Recognises batches that a partition has already counted. Two batches with one id are the same if their receipt times are less
 * than a window apart. Ids are forgotten by the age of their block (`ageingBy`), never by receipt times, so no ingest process
 * with a wrong clock makes others forget, and earlier if their token has sent too many (`RememberedIds`). A worker that read the
 * stored blocks decides like one that counted them.
 */
export class DuplicateWindow {
  readonly #windowMs: number;
  readonly #known = new Receipts();
  readonly #blocks: RecentBlocks<BlockEnd & { readonly parts: readonly RememberedPart[] }>;
  readonly #ids: RememberedIds;

  constructor(windowMs: number, limits: RememberedLimits = limitsOf(windowMs)) {
    this.#windowMs = windowMs;
    this.#blocks = new RecentBlocks(horizonOf(windowMs));
    this.#ids = new RememberedIds(limits, (id) => {
      this.#known.removeFirst(id);
    });
  }

  get size(): number {
    return this.#known.size;
  }

  /** Starts the next block. The result records a batch and returns whether it is new. */
  begin(): (batch: CountedBatch) => boolean {
    const added = new Receipts();
    return ({ batchId, receivedAt }) => {
      const isSame = (seen: number): boolean => Math.abs(receivedAt - seen) < this.#windowMs;
      if (added.some(batchId, isSame) || this.#known.some(batchId, isSame)) return false;
      added.add(batchId, receivedAt);
      return true;
    };
  }

  /** Adds the next stored block, and forgets those that are too old. */
  remember({ batches, messages, appendedTo }: CountedBlock): void {
    for (const { batchId, receivedAt } of batches) this.#known.add(batchId, receivedAt);
    const parts = this.#ids.add(batches.map(({ batchId }) => batchId));
    for (const old of this.#blocks.add({ messages, appendedTo, parts })) this.#ids.forget(old.parts);
  }
}

/**
 * To which age blocks are remembered: twice the window, and at least two minutes, because a request may wait half a minute in the
 * queue of a partition.
 */
export function horizonOf(windowMs: number): number {
  return Math.max(2 * windowMs, 120_000);
}

/** What is remembered at 10,000 batches a second, half of them from one token. 1,000 ids take about 135 kB. */
function limitsOf(windowMs: number): RememberedLimits {
  const all = 10 * horizonOf(windowMs);
  return { each: all / 2, all };
}

/** The receipt times of batch ids, in order. An id rarely has more than one, so a single one is stored without a list. */
class Receipts {
  readonly #times = new Map<string, number | readonly number[]>();

  get size(): number {
    return this.#times.size;
  }

  add(id: string, receivedAt: number): void {
    const times = this.#times.get(id);
    this.#times.set(id, times === undefined ? receivedAt : [times, receivedAt].flat());
  }

  some(id: string, condition: (receivedAt: number) => boolean): boolean {
    const times = this.#times.get(id);
    if (times === undefined) return false;
    return typeof times === 'number' ? condition(times) : times.some(condition);
  }

  removeFirst(id: string): void {
    const times = this.#times.get(id);
    if (typeof times === 'object' && times.length > 1) this.#times.set(id, times.slice(1));
    else this.#times.delete(id);
  }
}
