import { Room } from '#base/runtime';

export type AdmissionLimits = {
  readonly maxBytes: number;
  readonly maxRequests: number;
};

/** The memory that one request may use. */
export type Reservation = {
  /** Adds this number of bytes; returns false and adds nothing if there is no room. */
  readonly add: (bytes: number) => boolean;
  /** Raises the total to at least this number of bytes; returns false and adds nothing if there is no room. */
  readonly grow: (bytes: number) => boolean;
  readonly release: () => void;
};

/** The memory that one chunk of a body needs in addition to its bytes. */
export const CHUNK_BYTES = 256;

/** One owner may use at most one part in this number of the whole. */
const SHARES = 4;
/** The token of a page is public, so one address that visits the page gets a quarter of what its token has. */
const SHARES_OF_VISITORS = SHARES * SHARES;

/**
 * Limits the bytes and the number of all requests that are being read or wait for Kafka: even a small request costs memory. One
 * owner (a token or an address) gets a quarter by default, so that an owner who keeps requests open leaves room for the others.
 */
export class Admission {
  readonly #bytes: Room;
  readonly #requests: Room;

  constructor({ maxBytes, maxRequests }: AdmissionLimits, { shares = SHARES, leastBytes = 0 } = {}) {
    this.#bytes = new Room({ each: Math.max(leastBytes, Math.floor(maxBytes / shares)), all: maxBytes });
    this.#requests = new Room({ each: Math.ceil(maxRequests / shares), all: maxRequests });
  }

  get bytes(): number {
    return this.#bytes.total;
  }

  get requests(): number {
    return this.#requests.total;
  }

  /** The share of its part that the busiest owner uses; 1 means all of it. */
  largestShare(): number {
    return Math.max(...[this.#bytes, this.#requests].map(({ max, limits }) => max / limits.each));
  }

  /**
   * Reserves room for one request of an owner. Undefined if there is no room, now or after adding the expected bytes
   * (`expects`).
   */
  reserve(owner: string, expects: number): Reservation | undefined {
    if (!this.#bytes.hasFor(owner, expects) || !this.#requests.reserve(owner)) return undefined;
    let held = 0;
    let isHeld = true;
    const add = (bytes: number): boolean => {
      if (!isHeld || !this.#bytes.reserve(owner, bytes)) return false;
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

/** For single visitors of pages. `leastBytes`: what one request may need. */
export function createVisitors(limits: AdmissionLimits, leastBytes: number): Admission {
  return new Admission(limits, { shares: SHARES_OF_VISITORS, leastBytes });
}

/** A request that takes room in two places. After a failure it may hold more of the first one until it is released. */
export function inBoth(one: Reservation, other: Reservation): Reservation {
  return {
    add: (bytes) => one.add(bytes) && other.add(bytes),
    grow: (bytes) => one.grow(bytes) && other.grow(bytes),
    release() {
      one.release();
      other.release();
    },
  };
}
