export type AdmissionLimits = {
  readonly maxBytes: number;
  readonly maxRequests: number;
};

/** The room of one request. */
export type Reservation = {
  /** Makes it at least so many bytes; false, and as it was, if there is no room for that. */
  readonly grow: (bytes: number) => boolean;
  readonly release: () => void;
};

/**
 * Bounds the requests that are read or wait for Kafka in the whole process, by their bytes and by their number: a
 * request costs memory of its own, however little it brings.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  #bytes = 0;
  #requests = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Takes room for a request; undefined when there is none. */
  reserve(bytes: number): Reservation | undefined {
    if (this.#requests >= this.#limits.maxRequests || !this.#take(bytes)) return undefined;
    this.#requests += 1;
    let held = bytes;
    let isHeld = true;
    return {
      grow: (needed) => {
        if (needed <= held) return true;
        if (!isHeld || !this.#take(needed - held)) return false;
        held = needed;
        return true;
      },
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#bytes -= held;
        this.#requests -= 1;
      },
    };
  }

  #take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#limits.maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }
}
