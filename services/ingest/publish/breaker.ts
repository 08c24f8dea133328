/**
 * The circuit breaker of one partition. Its states:
 *
 *   closed --rejected--> rejecting --rejected for `rideOutMs`--> open
 *   rejecting, open --stored or unknown--> closed
 *
 * Only rejections open it, because a rejected message is certainly not stored. An unknown outcome closes it: while it was open,
 * messages would be rejected without a try.
 */
export class Breaker {
  readonly #rideOutMs: number;
  /** The time of the first rejection since the last other outcome. */
  #rejectingSince: number | undefined;

  constructor(rideOutMs: number) {
    this.#rideOutMs = rideOutMs;
  }

  /** Records an outcome; `now` in epoch milliseconds. */
  record(outcome: 'stored' | 'not-stored' | 'unknown', now: number): void {
    this.#rejectingSince = outcome === 'not-stored' ? (this.#rejectingSince ?? now) : undefined;
  }

  /** Whether the broker has rejected messages for longer than `rideOutMs`. */
  isOpen(now: number): boolean {
    return this.#rejectingSince !== undefined && now - this.#rejectingSince >= this.#rideOutMs;
  }
}
