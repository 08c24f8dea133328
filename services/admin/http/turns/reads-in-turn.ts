import { HttpProblem, Turns } from '#base/http';
import type { RoomLimits } from '#base/runtime';
import { type Caller, keyOf } from '#base/tokens';
import type { AdminRequest } from '../operation.ts';
import { tooManyOfCaller } from './limit-reached.ts';

/** One caller reads one thing at a time, so that a second caller never waits for the first. */
const READING: RoomLimits = { each: 1, all: 2 };
const WAITING: RoomLimits = { each: 2, all: 16 };
const LONGEST_WAIT_MS = 10_000;
const FRESH_MS = 1000;
/** Answers may be large. Above this number none is reused. */
const MAX_ANSWERS = 100;

type Reader = Pick<AdminRequest, 'caller' | 'left'>;

type Read<T> = {
  readonly answer: Promise<T>;
  freshUntil: number;
  /** Those who have asked and not left. */
  readers: number;
  readonly unwanted: AbortController;
};

/**
 * Runs slow reads two at a time for all callers together. The same question, asked during the read or within a second after it,
 * gets the same answer. A failure is not cached. A read that has not begun is dropped when all who asked have left: the pages that
 * somebody opened and left take no room of the one that they look at.
 */
export class ReadsInTurn<T> {
  readonly #reads = new Map<string, Read<T>>();
  readonly #turns: Turns;

  /** `waiting`: the numbers of different reads that may wait. */
  constructor(waiting = WAITING) {
    this.#turns = new Turns({
      working: READING,
      waiting,
      longestWaitMs: LONGEST_WAIT_MS,
      tooManyOfCaller,
    });
  }

  /** `question` is the cache key. Throws a 429 if too many reads of the caller wait, and a 503 if too many of all callers do. */
  async read({ caller, left }: Reader, question: string, work: () => Promise<T>): Promise<T> {
    if (left.aborted) throw nobodyWaits();
    const now = performance.now();
    for (const [key, { freshUntil }] of this.#reads) if (freshUntil <= now) this.#reads.delete(key);
    const read = this.#reads.get(question) ?? this.#begin(caller, question, work);
    read.readers += 1;
    const leave = (): void => {
      read.readers -= 1;
      if (read.readers === 0) read.unwanted.abort(nobodyWaits());
    };
    left.addEventListener('abort', leave, { once: true });
    try {
      return await read.answer;
    } finally {
      left.removeEventListener('abort', leave);
    }
  }

  #begin(caller: Caller, question: string, work: () => Promise<T>): Read<T> {
    const unwanted = new AbortController();
    const answer = this.#answer(question, this.#turns.take(keyOf(caller), work, unwanted.signal));
    const read: Read<T> = { answer, freshUntil: Infinity, readers: 0, unwanted };
    this.#reads.set(question, read);
    return read;
  }

  async #answer(question: string, reading: Promise<T>): Promise<T> {
    try {
      const answer = await reading;
      const read = this.#reads.get(question);
      if (read === undefined || this.#reads.size > MAX_ANSWERS) this.#reads.delete(question);
      else read.freshUntil = performance.now() + FRESH_MS;
      return answer;
    } catch (error) {
      this.#reads.delete(question);
      throw error;
    }
  }
}

/** Nobody gets this answer. */
function nobodyWaits(): HttpProblem {
  return new HttpProblem(408, 'The client has left.');
}
