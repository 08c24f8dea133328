import { PairIds } from '../sums/pair-ids.ts';
import { decodeIndex, encodeIndex } from '../encoding/optional-index.ts';

/**
 * Adds up evaluations by feature, group (application, environment and hour), provider, reason and error type. All but the group are ids
 * of names in the `CountSums` beside it, which also has the groups.
 */
export class ReasonSums {
  /** Feature and group. */
  readonly #rows = new PairIds();
  /** Reason and error type. */
  readonly #causes = new PairIds();
  /** Cause and provider. */
  readonly #outcomes = new PairIds();
  /** Row and outcome. */
  readonly #keys = new PairIds();
  #counts = new Float64Array(this.#keys.room);

  /** Row and outcome are separate, because copying one object into another takes longer than all the rest. */
  add({ feature, group }: ReasonRow, { reason, errorType, provider }: Outcome, count: number): void {
    const cause = this.#causes.idOf(reason, encodeIndex(errorType));
    const outcome = this.#outcomes.idOf(cause, encodeIndex(provider));
    let key = this.#keys.idOf(this.#rows.idOf(feature, group), outcome);
    // A sum that would exceed 2^53-1 continues under another id.
    if ((this.#counts[key] ?? 0) + count > Number.MAX_SAFE_INTEGER) key = this.#keys.renew(key);
    if (this.#counts.length < this.#keys.room) {
      const longer = new Float64Array(this.#keys.room);
      longer.set(this.#counts);
      this.#counts = longer;
    }
    this.#counts[key] = (this.#counts[key] ?? 0) + count;
  }

  /** Forgets all, to add up another batch in the same arrays. */
  clear(): void {
    this.#counts.fill(0, 0, this.#keys.count);
    for (const ids of [this.#rows, this.#causes, this.#outcomes, this.#keys]) ids.clear();
  }

  get count(): number {
    return this.#keys.count;
  }

  *all(): Generator<ReasonSum> {
    for (let key = 0; key < this.#keys.count; key += 1) {
      const [row, outcome] = [this.#keys.first(key), this.#keys.second(key)];
      const cause = this.#outcomes.first(outcome);
      yield {
        feature: this.#rows.first(row),
        group: this.#rows.second(row),
        reason: this.#causes.first(cause),
        errorType: decodeIndex(this.#causes.second(cause)),
        provider: decodeIndex(this.#outcomes.second(outcome)),
        count: this.#counts[key] ?? 0,
      };
    }
  }
}

/** How a flag got its value, as ids of names. */
export type Outcome = {
  readonly reason: number;
  /** Undefined if nothing failed. */
  readonly errorType: number | undefined;
  /** Undefined if the sender does not say. */
  readonly provider: number | undefined;
};

/** What was evaluated, as ids of names and of a group. */
type ReasonRow = { readonly feature: number; readonly group: number };

export type ReasonSum = ReasonRow & Outcome & { readonly count: number };
