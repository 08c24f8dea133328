import { HttpProblem } from '#http';

/** So many different questions may wait, each for so long; beyond that the caller gets 503 and may come again. */
const MOST_WAITING = 8;
const LONGEST_WAIT_MS = 10_000;
const FRESH_MS = 1000;

type Read<T> = { readonly answer: Promise<T>; freshUntil: number };

/**
 * Reads that take the engines long: one at a time for all callers, however many there are. Who asks the same thing while it is
 * read, or within a second after it, gets the same answer. A failure is not kept.
 */
export class ReadsInTurn<T> {
  readonly #reads = new Map<string, Read<T>>();
  #last: Promise<void> = Promise.resolve();

  /** `question` distinguishes reads. A 503 if too many others wait. */
  async read(question: string, work: () => Promise<T>): Promise<T> {
    const now = Date.now();
    for (const [key, { freshUntil }] of this.#reads) if (freshUntil <= now) this.#reads.delete(key);
    const known = this.#reads.get(question);
    if (known !== undefined) return known.answer;
    if (this.#waiting() >= MOST_WAITING) throw tooMany();
    const read = { answer: inTurn(this.#last, work), freshUntil: Infinity };
    this.#reads.set(question, read);
    this.#last = this.#settle(question, read);
    return read.answer;
  }

  /** Never rejects: whoever asked learns of a failure. */
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
