/**
 * What the last sends say about the way to one partition:
 *
 *   closed --refused--> refusing --refused for `rideOutMs`--> open
 *   refusing, open --stored or unknown--> closed
 *
 * Only refusals open it, for then surely nothing was stored. After an unknown outcome a refusal would be a guess.
 */
export class Breaker {
  readonly #rideOutMs: number;
  /** Since when the broker has done nothing but refuse. */
  #refusingSince: number | undefined;

  constructor(rideOutMs: number) {
    this.#rideOutMs = rideOutMs;
  }

  /** Takes note of an outcome; `now` in epoch milliseconds. */
  record(outcome: 'stored' | 'not-stored' | 'unknown', now: number): void {
    this.#refusingSince = outcome === 'not-stored' ? (this.#refusingSince ?? now) : undefined;
  }

  /** Whether trouble has lasted for longer than it is ridden out. */
  isOpen(now: number): boolean {
    return this.#refusingSince !== undefined && now - this.#refusingSince >= this.#rideOutMs;
  }
}
