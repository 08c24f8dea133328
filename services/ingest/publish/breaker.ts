/**
 * What the last sends say about the way to one partition:
 *
 *   closed --rejected--> rejecting --rejected for `rideOutMs`--> open
 *   rejecting, open --stored or unknown--> closed
 *
 * Only rejections open it, for then surely nothing was stored. After an unknown outcome a rejection would be a guess.
 */
export class Breaker {
  readonly #rideOutMs: number;
  /** Since when the broker has done nothing but reject. */
  #rejectingSince: number | undefined;

  constructor(rideOutMs: number) {
    this.#rideOutMs = rideOutMs;
  }

  /** Takes note of an outcome; `now` in epoch milliseconds. */
  record(outcome: 'stored' | 'not-stored' | 'unknown', now: number): void {
    this.#rejectingSince = outcome === 'not-stored' ? (this.#rejectingSince ?? now) : undefined;
  }

  /** Whether trouble has lasted for longer than it is ridden out. */
  isOpen(now: number): boolean {
    return this.#rejectingSince !== undefined && now - this.#rejectingSince >= this.#rideOutMs;
  }
}
