import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';

/** Called when an answer has ended. `isWhole`: the client got all of it. */
type OnEnd = (isWhole: boolean) => void;

/**
 * Notices the ends of answers with one listener for each answer, because a request to `/mcp` may perform many operations: Node warns of a
 * leak at eleven listeners.
 */
export class Endings {
  readonly #waiting = new WeakMap<ServerResponse, OnEnd[]>();

  notice(answer: ServerResponse, onEnd: OnEnd): void {
    const waiting = this.#waiting.get(answer);
    if (waiting !== undefined) {
      waiting.push(onEnd);
      return;
    }
    const all = [onEnd];
    this.#waiting.set(answer, all);
    finished(answer, (error) => {
      this.#waiting.delete(answer);
      for (const one of all) one(!error);
    });
  }
}
