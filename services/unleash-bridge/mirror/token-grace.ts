import type { PushOutcome } from '#unleash/client';

/**
 * Bounds how long an environment holds up the others while Unleash rejects its token. After that, each of its posts gets one
 * attempt. When Unleash accepts one, the environment has the whole time again.
 */
export class TokenGrace {
  readonly #limitMs: number;
  /** By environment, on the clock of `performance`. */
  readonly #rejectedSince = new Map<string, number>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Whether this outcome of an attempt ends the wait for the token of an environment. */
  isOver(environment: string, result: PushOutcome): boolean {
    if (result.outcome === 'accepted') this.#rejectedSince.delete(environment);
    if (result.outcome !== 'failed' || result.reason !== 'token') return false;
    const now = performance.now();
    const since = this.#rejectedSince.get(environment) ?? now;
    this.#rejectedSince.set(environment, since);
    return now - since >= this.#limitMs;
  }
}
