/** The first fetch of a consumer, because nobody knows yet how fast Kafka delivers. */
const FIRST_BYTES = 1024 * 1024;
/** A message that is longer is fetched all the same, alone. */
const LEAST_BYTES = 64 * 1024;
/** What a fetch may take beside its wait for messages. Far below the time within which a member must join again. */
const DELIVERY_MS = 1000;

/** How much a fetch asks for: as much as Kafka has delivered in about a second. A quota or a slow connection makes that less. */
export class FetchPace {
  readonly #mostBytes: number;
  readonly #targetMs: number;
  #bytes: number;

  /** `mostBytes` and `waitMs` are what a fetch asks for at most, and how long it waits for messages. */
  constructor({ mostBytes, waitMs }: { readonly mostBytes: number; readonly waitMs: number }) {
    this.#mostBytes = mostBytes;
    this.#targetMs = waitMs + DELIVERY_MS;
    this.#bytes = Math.min(FIRST_BYTES, mostBytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Notes how long the last fetch took, including the time for which the broker wanted no requests. */
  note(ms: number): void {
    const next = ms > this.#targetMs ? (this.#bytes * this.#targetMs) / ms : this.#bytes * 2;
    this.#bytes = Math.round(Math.min(this.#mostBytes, Math.max(LEAST_BYTES, next)));
  }
}
