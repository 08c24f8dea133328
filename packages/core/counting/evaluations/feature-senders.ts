/** A token that sent evaluations of a feature, with a reason that is no error. */
export type FeatureSender = {
  readonly token: string;
  readonly feature: string;
  /** Of the evaluations, since the epoch. */
  readonly day: number;
};

/** Which tokens know the features of other flag systems, by the evaluations of one block. */
export class FeatureSenders {
  /** Features by token and day. */
  readonly #known = new Map<string, Map<number, Set<string>>>();
  /** Of the sender before: a message has one token, and hardly more than one day. */
  #token = '';
  #day = NaN;
  #features = new Set<string>();

  add({ token, feature, day }: FeatureSender): void {
    if (token !== this.#token || day !== this.#day) {
      this.#token = token;
      this.#day = day;
      this.#features = this.#of(token, day);
    }
    this.#features.add(feature);
  }

  all(): FeatureSender[] {
    return Array.from(this.#known, ([token, days]) =>
      Array.from(days, ([day, features]) =>
        Array.from(features, (feature) => ({ token, feature, day })),
      ).flat(),
    ).flat();
  }

  #of(token: string, day: number): Set<string> {
    const days = this.#known.get(token) ?? new Map<number, Set<string>>();
    const features = days.get(day) ?? new Set<string>();
    this.#known.set(token, days.set(day, features));
    return features;
  }
}
