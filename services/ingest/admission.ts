/** Bounds the bytes of requests that are read or wait for Kafka, in the whole process. */
export class Admission {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes room for a request; gives the function that frees it, or undefined when there is none. */
  reserve(bytes: number): (() => void) | undefined {
    if (this.#bytes + bytes > this.#maxBytes) return undefined;
    this.#bytes += bytes;
    let isHeld = true;
    return () => {
      if (isHeld) this.#bytes -= bytes;
      isHeld = false;
    };
  }
}
