import type { RoomLimits } from '#runtime';
import { type Caller, keyOf } from '#tokens';
import { Turns } from './turns.ts';

/** One caller reads one thing at a time, so that a second caller never waits for the first. */
const READING: RoomLimits = { each: 1, all: 2 };
const WAITING: RoomLimits = { each: 2, all: 16 };
const LONGEST_WAIT_MS = 10_000;
const FRESH_MS = 1000;
/** Answers may be large. Above this number none is reused. */
const MAX_ANSWERS = 100;

type Read<T> = { readonly answer: Promise<T>; freshUntil: number };

/**
 * Runs slow reads two at a time for all callers together. The same question, asked during the read or within a second after it,
 * gets the same answer. A failure is not cached.
 */
export class ReadsInTurn<T> {
  readonly #reads = new Map<string, Read<T>>();
  readonly #turns: Turns;

  /** `waiting`: the numbers of different reads that may wait. */
  constructor(waiting = WAITING) {
    this.#turns = new Turns({ working: READING, waiting, longestWaitMs: LONGEST_WAIT_MS });
  }

  /** `question` is the cache key. Throws a 429 if too many reads of the caller wait, and a 503 if too many of all callers do. */
  async read(caller: Caller, question: string, work: () => Promise<T>): Promise<T> {
    const now = Date.now();
    for (const [key, { freshUntil }] of this.#reads) if (freshUntil <= now) this.#reads.delete(key);
    const known = this.#reads.get(question);
    if (known !== undefined) return known.answer;
    const read = { answer: this.#turns.take(keyOf(caller), work), freshUntil: Infinity };
    this.#reads.set(question, read);
    try {
      return await read.answer;
    } catch (error) {
      read.freshUntil = 0;
      throw error;
    } finally {
      this.#keepFresh(question, read);
    }
  }

  #keepFresh(question: string, read: Read<T>): void {
    if (read.freshUntil === 0 || this.#reads.size > MAX_ANSWERS) this.#reads.delete(question);
    else read.freshUntil = Date.now() + FRESH_MS;
  }
}
