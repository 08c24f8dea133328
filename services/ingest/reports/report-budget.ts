/**
 * Far more than any fleet has. Each relay becomes a row each minute, so this bounds what a token can store. Every process has its
 * own budgets.
 */
export const MAX_RELAYS_PER_MINUTE = 2000;

const MINUTE_MS = 60_000;

/** Counts the relays that each token reports in a clock minute. */
export class ReportBudget {
  #minute = 0;
  readonly #spent = new Map<string, number>();

  /** Whether a token may report so many relays now (epoch milliseconds); if so, they are counted. */
  spend(tokenId: string, relays: number, now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) this.#spent.clear();
    this.#minute = minute;
    const spent = (this.#spent.get(tokenId) ?? 0) + relays;
    if (spent > MAX_RELAYS_PER_MINUTE) return false;
    this.#spent.set(tokenId, spent);
    return true;
  }
}
