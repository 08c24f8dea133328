import type { RefusalReason } from '../refusals.ts';
import { dayOf } from '#base/schema';
import { KEPT_DAYS, type SeriesChange, type SeriesLimits, type TokenSeries } from './known-series.ts';
import type { SeriesPoint } from './series-point.ts';
import { TokenOfBlock } from './token-of-block.ts';

/** What a point adds: its new evaluations, or why it is not counted. */
export type SeriesOutcome =
  | { readonly added: number }
  | { readonly reason: RefusalReason; readonly sample: string };

/** Of a series that started earlier, an earlier point may be forgotten. Two days are for clocks, which differ. */
const MAX_UNKNOWN_DAYS = KEPT_DAYS - 2;

/** A series that stays the same is written again after this time, so that it does not count as silent. */
const WRITTEN_MS = 3_600_000;

/** A series makes room for others of its token when it was silent for so long. Otherwise too many would take turns, and none would count. */
const SILENT_MS = 24 * WRITTEN_MS;

const DAY_US = 86_400_000_000;

/** Judges the points of one block, in their order. */
export class SeriesOfBlock {
  readonly #known: ReadonlyMap<string, TokenSeries>;
  readonly #seenAt: number;
  readonly #limits: SeriesLimits;
  readonly #tokens = new Map<string, TokenOfBlock>();
  #size = 0;
  /** Kept until a token has more or fewer: a body may have 10,000 points without room, and there may be thousands of tokens. */
  #largestToken: string | undefined;

  /** `known`: what was known at the beginning of the block. It stays the same until the end. */
  constructor(
    known: ReadonlyMap<string, TokenSeries>,
    { seenAt, limits }: { readonly seenAt: number; readonly limits: SeriesLimits },
  ) {
    this.#known = known;
    this.#seenAt = seenAt;
    this.#limits = limits;
    for (const { known: ofToken } of known.values()) this.#size += ofToken.size;
  }

  judge(token: string, point: SeriesPoint): SeriesOutcome {
    const { at, value } = point;
    const ofToken = this.#of(token);
    const last = ofToken.last(point);
    if (last === undefined) return this.#judgeFirst(ofToken, point);
    const isDue = last.seenAt <= this.#seenAt - WRITTEN_MS;
    // Whoever sends one counter twice, or late, sends a value from before.
    const isFallen = value < last.value && at > last.at;
    if (last.isBroken || isFallen) {
      if (!last.isBroken || isDue) ofToken.change(point, { ...last, isBroken: true });
      return { reason: 'counter_fell', sample: `${value} after ${last.value}` };
    }
    const added = Math.max(0, value - last.value);
    if (added > 0) ofToken.change(point, { value, at, isBroken: false });
    else if (isDue) ofToken.change(point, last);
    return { added };
  }

  /** Those of one token in the order of their keys. */
  changes(): SeriesChange[] {
    return Array.from(this.#tokens.values(), (ofToken) => ofToken.changes()).flat();
  }

  #judgeFirst(ofToken: TokenOfBlock, point: SeriesPoint): SeriesOutcome {
    const { startedAt, at, value } = point;
    const oldest = (dayOf(this.#seenAt) - MAX_UNKNOWN_DAYS) * DAY_US;
    // Before there is room: what makes room for it is another series.
    const mayBeForgotten = startedAt <= ofToken.forgottenTo || startedAt < oldest;
    if (!this.#hasRoom(ofToken)) {
      const limit = ofToken.size < this.#limits.each ? this.#limits.all : this.#limits.each;
      return { reason: 'too_many_counters', sample: String(limit) };
    }
    this.#size += 1;
    this.#largestToken = undefined;
    ofToken.change(point, { value, at, isBroken: false });
    return mayBeForgotten ? { reason: 'unknown_start', sample: sampleOf(startedAt) } : { added: value };
  }

  /** Makes room if there is none. The token with the most series makes room for all others. */
  #hasRoom(own: TokenOfBlock): boolean {
    const { each, all } = this.#limits;
    if (own.size < each && this.#size < all) return true;
    const largest = own.size < each ? this.#largest() : own;
    // With a difference of one, both would take turns.
    const isForOther = largest.size > own.size + 1;
    const made = isForOther ? largest.forget(Infinity) : own.forget(this.#seenAt - SILENT_MS);
    if (made) {
      this.#size -= 1;
      this.#largestToken = undefined;
    }
    return made;
  }

  #largest(): TokenOfBlock {
    this.#largestToken ??= this.#findLargest();
    return this.#of(this.#largestToken);
  }

  #findLargest(): string {
    let largest = '';
    for (const token of [...this.#known.keys(), ...this.#tokens.keys()]) {
      const difference = this.#sizeOf(token) - this.#sizeOf(largest);
      if (difference > 0 || (difference === 0 && token < largest)) largest = token;
    }
    return largest;
  }

  #sizeOf(token: string): number {
    return this.#tokens.get(token)?.size ?? this.#known.get(token)?.known.size ?? 0;
  }

  #of(token: string): TokenOfBlock {
    const ofToken = this.#tokens.get(token) ?? new TokenOfBlock(token, this.#known.get(token), this.#seenAt);
    this.#tokens.set(token, ofToken);
    return ofToken;
  }
}

function sampleOf(startedAt: number): string {
  return `start ${new Date(startedAt / 1000).toISOString()}`;
}
