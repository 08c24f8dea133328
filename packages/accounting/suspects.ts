import type { Difference } from './differences.ts';

/**
 * Separates differences from writes in progress: on live data each look may meet an INSERT that some of its tables
 * show and others do not yet, and then the two sides differ by another amount each time. A suspect is a place that
 * differed at every look. It is certain if it differed by the same amount while the data moved on, or if they never moved.
 */
export class Suspects {
  readonly #looks: (readonly Difference[])[] = [];

  /** Takes the differences of another look; gives those of the places that are still suspected. */
  look(differences: readonly Difference[]): readonly Difference[] {
    const before = this.#looks.at(-1);
    const suspected = differences.filter(({ place }) => before?.some((one) => one.place === place) ?? true);
    this.#looks.push(suspected);
    return suspected;
  }

  /** The differences of the last look that are certain. */
  certain(): readonly Difference[] {
    return this.#looks.at(-1)?.filter(({ place }) => this.#isCertain(place)) ?? [];
  }

  #isCertain(place: string): boolean {
    const seen = this.#looks.flatMap((look) => look.filter((one) => one.place === place));
    const standsStill = seen.every(({ at }) => at === seen[0]?.at);
    const repeatsItself = seen.some((one) => seen.some(({ by, at }) => by === one.by && at !== one.at));
    return standsStill || repeatsItself;
  }
}
