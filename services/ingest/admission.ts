import { Room } from '#runtime';

export type AdmissionLimits = {
  readonly maxBytes: number;
  readonly maxRequests: number;
};

/** The room of one request. */
export type Reservation = {
  /** Adds so many bytes; false, and as it was, if there is no room for them. */
  readonly add: (bytes: number) => boolean;
  /** Makes it at least so many bytes; likewise. */
  readonly grow: (bytes: number) => boolean;
  readonly release: () => void;
};

/** What one owner may hold of all. */
const SHARES = 4;

/**
 * Bounds the requests that are read or wait for Kafka in the whole process, by their bytes and by their number: a
 * request costs memory of its own, however little it brings. No owner (a token, an address) gets more than a quarter, so that one that
 * holds what it has leaves room for the others.
 */
export class Admission {
  readonly #bytes: Room;
  readonly #requests: Room;

  constructor({ maxBytes, maxRequests }: AdmissionLimits) {
    this.#bytes = new Room({ each: Math.floor(maxBytes / SHARES), all: maxBytes });
    this.#requests = new Room({ each: Math.ceil(maxRequests / SHARES), all: maxRequests });
  }

  get bytes(): number {
    return this.#bytes.total;
  }

  get requests(): number {
    return this.#requests.total;
  }

  /** How much of its quarter the owner has that is nearest to it; 1 is all. */
  largestShare(): number {
    return Math.max(...[this.#bytes, this.#requests].map(({ most, limits }) => most / limits.each));
  }

  /** Takes room for a request of an owner; undefined when there is none, or not yet for the bytes that it `expects` to add. */
  reserve(owner: string, expects: number): Reservation | undefined {
    if (!this.#bytes.hasFor(owner, expects) || !this.#requests.take(owner)) return undefined;
    let held = 0;
    let isHeld = true;
    const add = (bytes: number): boolean => {
      if (!isHeld || !this.#bytes.take(owner, bytes)) return false;
      held += bytes;
      return true;
    };
    return {
      add,
      grow: (bytes) => bytes <= held || add(bytes - held),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#bytes.giveBack(owner, held);
        this.#requests.giveBack(owner);
      },
    };
  }
}
