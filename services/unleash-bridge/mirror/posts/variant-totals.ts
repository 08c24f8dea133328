import type { Row } from './counts-posts.ts';

/** Smaller counts are not remembered: it takes 16,384 of them to fill the other half of the column's range. */
const REMEMBERED_FROM = 65_536;
const MAX_TOTAL = 2 ** 30;
const MAX_KEYS = 20_000;
/** Unleash deletes an hour after 48 hours, by a job that runs every 12. */
const KEPT_MS = 61 * 3_600_000;

/**
 * Keeps the count of a variant in an hour far below 2^31, because one that reaches it costs Unleash the variants of all
 * clients. It admits nothing that it cannot remember. A restart forgets the totals.
 */
export class VariantTotals {
  readonly #totals = new Map<string, { sum: number; readonly since: number }>();

  /** The row without the variants that must not be sent. */
  admit(row: Row, now: number, onLeftOut: () => void): Row {
    const entries = Object.entries(row.variants);
    const admitted = entries.filter(([variant, count]) => this.#add(keyOf(row, variant), count, now));
    if (admitted.length === entries.length) return row;
    for (let missing = admitted.length; missing < entries.length; missing += 1) onLeftOut();
    return { ...row, variants: Object.fromEntries(admitted) };
  }

  #add(key: string, count: number, now: number): boolean {
    if (count < REMEMBERED_FROM) return true;
    const known = this.#totals.get(key);
    if (known === undefined && !this.#hasRoom(now)) return false;
    const sum = (known?.sum ?? 0) + count;
    if (sum > MAX_TOTAL) return false;
    this.#totals.set(key, { sum, since: known?.since ?? now });
    return true;
  }

  /** Keys were added in the order of their times. */
  #hasRoom(now: number): boolean {
    for (const [key, { since }] of this.#totals) {
      if (since > now - KEPT_MS) break;
      this.#totals.delete(key);
    }
    return this.#totals.size < MAX_KEYS;
  }
}

function keyOf({ featureName, appName, environment, timestamp }: Row, variant: string): string {
  return JSON.stringify([featureName, appName, environment, timestamp, variant]);
}
