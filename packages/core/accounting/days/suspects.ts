import type { Difference } from '../differences.ts';

/**
 * Separates differences from replicas that catch up, and from blocks that were stored between two steps of a reading. Then the
 * distance changes from one reading to the next. A suspect is a part that differed at every reading. It is
 * certain if its distance stayed the same while the data grew, or if the data never changed.
 */
export class Suspects {
  readonly #looks: (readonly Difference[])[] = [];

  /** Adds the differences of another reading. Returns those of the parts that are still suspects. */
  look(differences: readonly Difference[]): readonly Difference[] {
    const before = this.#looks.at(-1);
    const suspected = differences.filter(
      ({ subject }) => before?.some((one) => one.subject === subject) ?? true,
    );
    this.#looks.push(suspected);
    return suspected;
  }

  /** The differences of the last reading that are certain. */
  certain(): readonly Difference[] {
    return this.#looks.at(-1)?.filter(({ subject }) => this.#isCertain(subject)) ?? [];
  }

  #isCertain(subject: string): boolean {
    const seen = this.#looks.flatMap((look) => look.filter((one) => one.subject === subject));
    const standsStill = seen.every(({ at }) => at === seen[0]?.at);
    const repeatsItself = seen.some((one) => seen.some(({ by, at }) => by === one.by && at !== one.at));
    return standsStill || repeatsItself;
  }
}
