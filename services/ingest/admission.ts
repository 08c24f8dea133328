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

type Use = { bytes: number; requests: number };

/** What one owner may hold of all. */
const SHARES = 4;

/**
 * Bounds the requests that are read or wait for Kafka in the whole process, by their bytes and by their number: a
 * request costs memory of its own, however little it brings. No owner (a token, an address) gets more than a quarter, so that one that
 * holds what it has leaves room for the others.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #share: AdmissionLimits;
  readonly #all: Use = { bytes: 0, requests: 0 };
  readonly #owners = new Map<string, Use>();

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
    this.#share = {
      maxBytes: Math.floor(limits.maxBytes / SHARES),
      maxRequests: Math.ceil(limits.maxRequests / SHARES),
    };
  }

  get bytes(): number {
    return this.#all.bytes;
  }

  get requests(): number {
    return this.#all.requests;
  }

  /** How much of its quarter the owner has that is nearest to it; 1 is all. */
  largestShare(): number {
    const { maxBytes, maxRequests } = this.#share;
    const shares = [...this.#owners.values()].map(({ bytes, requests }) =>
      Math.max(bytes / maxBytes, requests / maxRequests),
    );
    return Math.max(0, ...shares);
  }

  /** Takes room for a request of an owner; undefined when there is none, or not yet for the bytes that it `expects` to add. */
  reserve(owner: string, expects: number): Reservation | undefined {
    const use = this.#owners.get(owner) ?? { bytes: 0, requests: 0 };
    if (use.requests >= this.#share.maxRequests || this.#all.requests >= this.#limits.maxRequests)
      return undefined;
    if (!this.#hasRoom(use, expects)) return undefined;
    this.#owners.set(owner, use);
    use.requests += 1;
    this.#all.requests += 1;
    let held = 0;
    let isHeld = true;
    const add = (bytes: number): boolean => {
      if (!isHeld || !this.#hasRoom(use, bytes)) return false;
      held += bytes;
      use.bytes += bytes;
      this.#all.bytes += bytes;
      return true;
    };
    return {
      add,
      grow: (bytes) => bytes <= held || add(bytes - held),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        for (const each of [use, this.#all]) {
          each.bytes -= held;
          each.requests -= 1;
        }
        if (use.requests === 0) this.#owners.delete(owner);
      },
    };
  }

  #hasRoom(use: Use, bytes: number): boolean {
    return use.bytes + bytes <= this.#share.maxBytes && this.#all.bytes + bytes <= this.#limits.maxBytes;
  }
}
