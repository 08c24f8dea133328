/** A token that sent evaluations of a feature, with a reason that is no error. */
export type FeatureSender = {
  readonly token: string;
  readonly feature: string;
  /** Of the evaluations, since the epoch. */
  readonly day: number;
};

/** Which tokens know the features of other flag systems, by the evaluations of one block. */
export class FeatureSenders {
  readonly #known = new Map<string, FeatureSender>();

  add(sender: FeatureSender): void {
    // An id has no space.
    this.#known.set(`${sender.token} ${sender.day} ${sender.feature}`, sender);
  }

  all(): FeatureSender[] {
    return [...this.#known.values()];
  }
}
