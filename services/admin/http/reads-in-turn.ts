import { HttpProblem } from '#http';

/** How long each read waits. Beyond that the caller gets a 503. */
const LONGEST_WAIT_MS = 10_000;
const FRESH_MS = 1000;

type Read<T> = { readonly answer: Promise<T>; freshUntil: number };

/**
 * Runs slow reads one at a time for all callers together. The same question, asked during the read or within a second after it,
 * gets the same answer. A failure is not cached.
 */
export class ReadsInTurn<T> {
  readonly #reads = new Map<string, Read<T>>();
  readonly #maxWaiting: number;
  #last: Promise<void> = Promise.resolve();

  /** `maxWaiting`: the number of different reads that may wait. */
  constructor(maxWaiting = 8) {
    this.#maxWaiting = maxWaiting;
  }

  /** `question` is the cache key. Throws a 503 if too many others wait. */
  async read(question: string, work: () => Promise<T>): Promise<T> {
    const now = Date.now();
    for (const [key, { freshUntil }] of this.#reads) if (freshUntil <= now) this.#reads.delete(key);
    const known = this.#reads.get(question);
    if (known !== undefined) return known.answer;
    if (this.#waiting() >= this.#maxWaiting) throw tooMany();
    const read = { answer: inTurn(this.#last, work), freshUntil: Infinity };
    this.#reads.set(question, read);
    this.#last = this.#settle(question, read);
    return read.answer;
  }

  /** Never rejects, because the caller of `read` gets the failure. */
  async #settle(question: string, read: Read<T>): Promise<void> {
    try {
      await read.answer;
      read.freshUntil = Date.now() + FRESH_MS;
    } catch {
      this.#reads.delete(question);
    }
  }

  #waiting(): number {
    return [...this.#reads.values()].filter(({ freshUntil }) => freshUntil === Infinity).length;
  }
}

async function inTurn<T>(before: Promise<void>, work: () => Promise<T>): Promise<T> {
  const askedAt = Date.now();
  await before;
  if (Date.now() - askedAt > LONGEST_WAIT_MS) throw tooMany();
  return work();
}

function tooMany(): HttpProblem {
  return new HttpProblem(503, 'Too many different reads are running at the same time.', {
    headers: { 'Retry-After': '1' },
  });
}
