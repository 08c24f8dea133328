/**
 * Where a successor must start to read, so that it knows the batch ids of the last minutes. Ranges are added in order of
 * offset. Ranges whose latest receipt is too old are removed from the front.
 */
export class ReplayStart {
  readonly #keptMs: number;
  readonly #ranges: { readonly from: bigint; readonly receivedTo: number }[] = [];
  #latest = 0;

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  add(range: { readonly from: bigint; readonly receivedTo: number }): void {
    this.#ranges.push(range);
    this.#latest = Math.max(this.#latest, range.receivedTo);
    const horizon = this.#latest - this.#keptMs;
    const kept = this.#ranges.findIndex(({ receivedTo }) => receivedTo >= horizon);
    this.#ranges.splice(0, kept);
  }

  /** Undefined if nothing was added yet. */
  get offset(): bigint | undefined {
    return this.#ranges[0]?.from;
  }
}
