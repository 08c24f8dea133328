import { Room, type RoomLimits } from '#base/runtime';
import { HttpProblem } from './problems/problems.ts';

export type TurnsLimits = {
  /** The numbers of requests in work and of those that wait for their turn, of one caller and of all together. */
  readonly working: RoomLimits;
  readonly waiting: RoomLimits;
  readonly longestWaitMs: number;
  /** What a caller gets of whom too many requests wait. By default the 503 that others get if all places are taken. */
  readonly tooManyOfCaller?: () => HttpProblem;
};

type Waiting = { begin(): void };

/**
 * Lets callers take turns at something that has room for few. A caller may hold a part of the room, and a few more of their
 * requests may wait. Waiting requests begin in the order of their callers: each caller has one turn before anybody has a second.
 */
export class Turns {
  readonly #working: Room;
  readonly #waiting: Room;
  readonly #longestWaitMs: number;
  readonly #tooManyOfCaller: () => HttpProblem;
  /** The waiting requests by caller. The first caller is the next one. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor({ working, waiting, longestWaitMs, tooManyOfCaller = busy }: TurnsLimits) {
    this.#working = new Room(working);
    this.#waiting = new Room(waiting);
    this.#longestWaitMs = longestWaitMs;
    this.#tooManyOfCaller = tooManyOfCaller;
  }

  /**
   * Does the work when it is the caller's turn. Throws `tooManyOfCaller` if too many requests of the caller wait, a 503 if all wait too
   * long, and the reason of `unwanted` if that is aborted before the turn.
   */
  async take<T>(caller: string, work: () => Promise<T>, unwanted?: AbortSignal): Promise<T> {
    await this.#untilTurn(caller, unwanted);
    try {
      return await work();
    } finally {
      this.#working.giveBack(caller);
      this.#beginNext();
    }
  }

  #untilTurn(caller: string, unwanted?: AbortSignal): Promise<void> {
    if (!this.#waiting.reserve(caller)) throw this.#noRoom();
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        giveUp(busy());
      }, this.#longestWaitMs);
      const end = (): void => {
        clearTimeout(deadline);
        unwanted?.removeEventListener('abort', leave);
      };
      const waiting = {
        begin(): void {
          end();
          resolve();
        },
      };
      const giveUp = (reason: unknown): void => {
        end();
        this.#remove(caller, waiting);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- of the given signal
        reject(reason);
      };
      const leave = (): void => {
        giveUp(unwanted?.reason);
      };
      unwanted?.addEventListener('abort', leave);
      this.#queues.set(caller, [...(this.#queues.get(caller) ?? []), waiting]);
      this.#beginNext();
    });
  }

  #beginNext(): void {
    // A caller who still waits after a turn goes behind the others, where this loop meets them again.
    for (const [caller, [first, ...later]] of this.#queues) {
      if (first === undefined || !this.#working.reserve(caller)) continue;
      this.#queues.delete(caller);
      if (later.length > 0) this.#queues.set(caller, later);
      this.#waiting.giveBack(caller);
      first.begin();
    }
  }

  #remove(caller: string, waiting: Waiting): void {
    const others = (this.#queues.get(caller) ?? []).filter((other) => other !== waiting);
    if (others.length > 0) this.#queues.set(caller, others);
    else this.#queues.delete(caller);
    this.#waiting.giveBack(caller);
  }

  #noRoom(): HttpProblem {
    return this.#waiting.total < this.#waiting.limits.all ? this.#tooManyOfCaller() : busy();
  }
}

function busy(): HttpProblem {
  return new HttpProblem(
    503,
    'Too many requests of this kind wait for their turn. Try again in a few seconds.',
    {
      headers: { 'Retry-After': '5' },
    },
  );
}
