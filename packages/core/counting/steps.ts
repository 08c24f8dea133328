/**
 * Work on something long. It yields where other work may go between, at least after each piece that could take a few milliseconds. Who
 * wants the result decides how many steps are done at once, so the work needs no clock.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all of the work at once. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The costliest items take 20 microseconds each. */
const ITEMS_OF_STEP = 64;

/** Counts the items of a step. To yield after each item would take longer than to skip it. */
export class StepLength {
  #left = ITEMS_OF_STEP;

  /** Counts an item, or one that is as long as several. Returns whether it is the last one of its step. */
  isDone(items = 1): boolean {
    this.#left -= items;
    if (this.#left > 0) return false;
    this.#left = ITEMS_OF_STEP;
    return true;
  }
}
