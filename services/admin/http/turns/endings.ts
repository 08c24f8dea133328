import type { ServerResponse } from 'node:http';

/** Called when an answer has ended. `isWhole`: the client got all of it. */
type OnEnd = (isWhole: boolean) => void;

/**
 * Notices the ends of answers with one listener for each. Node warns of a leak at eleven, and adds seven itself to a list that it streams.
 */
export class Endings {
  readonly #waiting = new WeakMap<ServerResponse, OnEnd[]>();

  notice(answer: ServerResponse, onEnd: OnEnd): void {
    if (answer.closed) {
      onEnd(answer.writableFinished);
      return;
    }
    const waiting = this.#waiting.get(answer);
    if (waiting !== undefined) {
      waiting.push(onEnd);
      return;
    }
    const all = [onEnd];
    this.#waiting.set(answer, all);
    answer.once('close', () => {
      this.#waiting.delete(answer);
      for (const one of all) one(answer.writableFinished);
    });
  }
}
