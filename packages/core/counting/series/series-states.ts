import { dayOf } from '#base/schema';
import {
  FORGOTTEN,
  KEPT_DAYS,
  type KnownSeries,
  MAX_SERIES,
  type SeriesChange,
  type SeriesId,
  type SeriesLimits,
  type SeriesState,
  type TokenSeries,
  compareKeys,
  keyOf,
} from './known-series.ts';
import { SeriesOfBlock } from './series-of-block.ts';

/**
 * The last values of the counters whose points reach one partition: what a point adds is the difference. It depends on the points of
 * earlier blocks only, so that a worker which reads the stored states decides like one that has seen the points
 * (docs/develop/decisions/opentelemetry.md#119-count-the-differences-of-cumulative-points).
 */
export class SeriesStates {
  readonly #limits: SeriesLimits;
  readonly #tokens = new Map<string, TokenSeries>();
  #seenAt = 0;
  #forgotAt = 0;

  constructor(known: Iterable<KnownSeries> = [], limits = MAX_SERIES) {
    this.#limits = limits;
    // As the blocks were stored, each of which lists its changes in the order of their keys.
    for (const one of [...known].sort((a, b) => a.state.seenAt - b.state.seenAt || compareKeys(a, b)))
      this.#set(one, one.state);
  }

  /** Starts the next block. `appendedAt`: of its last message, epoch milliseconds. */
  begin(appendedAt: number): SeriesOfBlock {
    const seenAt = Math.max(this.#seenAt + 1, appendedAt);
    this.#forgetSilent(dayOf(seenAt));
    return new SeriesOfBlock(this.#tokens, { seenAt, limits: this.#limits });
  }

  /** Takes over the changes of a stored block. */
  remember(changes: readonly SeriesChange[]): void {
    for (const { state, ...id } of changes) this.#set(id, state);
  }

  /** All series that are known. */
  *known(): Generator<KnownSeries> {
    for (const { known } of this.#tokens.values()) yield* known.values();
  }

  #set({ token, series, startedAt }: SeriesId, state: SeriesState | undefined): void {
    const ofToken = this.#tokens.get(token) ?? {
      known: new Map<string, KnownSeries>(),
      forgotten: undefined,
    };
    this.#tokens.set(token, ofToken);
    if (state !== undefined) this.#seenAt = Math.max(this.#seenAt, state.seenAt);
    if (series === FORGOTTEN) {
      ofToken.forgotten = state;
      return;
    }
    const key = keyOf({ series, startedAt });
    ofToken.known.delete(key);
    if (state !== undefined) ofToken.known.set(key, { token, series, startedAt, state });
  }

  #forgetSilent(day: number): void {
    if (day <= this.#forgotAt) return;
    const isSilent = ({ seenAt }: SeriesState): boolean => dayOf(seenAt) < day - KEPT_DAYS;
    for (const [token, ofToken] of this.#tokens) {
      for (const [key, { state }] of ofToken.known) {
        if (!isSilent(state)) break;
        ofToken.known.delete(key);
      }
      // Whatever it names started so long ago that it counts as unknown anyway.
      if (ofToken.forgotten !== undefined && isSilent(ofToken.forgotten)) ofToken.forgotten = undefined;
      if (ofToken.known.size === 0 && ofToken.forgotten === undefined) this.#tokens.delete(token);
    }
    this.#forgotAt = day;
  }
}
