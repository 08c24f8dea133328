import { PairIds } from '../batch/pair-ids.ts';

/**
 * Adds up evaluations by feature, group (application, environment and hour), reason and error type. All but the group are ids of names
 * in the `CountSums` beside it, which also has the groups.
 */
export class ReasonSums {
  /** Feature and group. */
  readonly #rows = new PairIds();
  /** Reason and error type plus one; 0 means none. */
  readonly #outcomes = new PairIds();
  /** Row and outcome. */
  readonly #keys = new PairIds();
  #counts = new Float64Array(this.#keys.room);

  /** `errorType` is undefined if nothing failed. */
  add({ feature, group, reason, errorType }: Omit<ReasonSum, 'count'>, count: number): void {
    const outcome = this.#outcomes.idOf(reason, errorType === undefined ? 0 : errorType + 1);
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

  get count(): number {
    return this.#keys.count;
  }

  *all(): Generator<ReasonSum> {
    for (let key = 0; key < this.#keys.count; key += 1) {
      const [row, outcome] = [this.#keys.first(key), this.#keys.second(key)];
      const errorType = this.#outcomes.second(outcome);
      yield {
        feature: this.#rows.first(row),
        group: this.#rows.second(row),
        reason: this.#outcomes.first(outcome),
        errorType: errorType === 0 ? undefined : errorType - 1,
        count: this.#counts[key] ?? 0,
      };
    }
  }
}

export type ReasonSum = {
  readonly feature: number;
  readonly group: number;
  readonly reason: number;
  readonly errorType: number | undefined;
  readonly count: number;
};
