import { type EngineName, outlineTrouble } from '../engine-trouble.ts';

/** Why engines cannot be reached at the moment, for the answer of `/ready`. */
export class Troubles {
  readonly #latest = new Map<EngineName, string>();

  note(engine: EngineName, error: unknown): void {
    this.#latest.set(engine, outlineTrouble(engine, error));
  }

  clear(engine: EngineName): void {
    this.#latest.delete(engine);
  }

  /** Adds the reasons to a sentence. */
  after(sentence: string): string {
    return [sentence, ...this.#latest.values()].join(' ');
  }
}
