import type { RefusalReason } from '../batch/refusals.ts';
import { dayOf } from '../days.ts';
import type { SeriesPoint } from './series-point.ts';

/** What is known of a series, by the last point that changed it. */
export type SeriesState = {
  readonly value: number;
  /** The time of the first point with this value, microseconds since the epoch. */
  readonly at: number;
  /** Days since the epoch, by the clock of the broker. It never goes back. */
  readonly day: number;
  /** Whether the value has fallen, so that two processes must have sent it. Its points are refused from then on. */
  readonly isBroken: boolean;
};

export type KnownSeries = Pick<SeriesPoint, 'series' | 'startedAt'> & { readonly state: SeriesState };

/** How a block changes a series. `before` is what was known at its beginning. */
export type SeriesChange = KnownSeries & { readonly before: SeriesState | undefined };

/** What a point adds: its new evaluations, or why it is not counted. */
export type SeriesOutcome =
  | { readonly added: number }
  | { readonly reason: RefusalReason; readonly sample: string };

/** A series that sent nothing for longer is forgotten. */
const KEPT_DAYS = 30;
/** Of a series that started earlier, an earlier point may be forgotten. Two days are for clocks, which differ. */
const MAX_UNKNOWN_DAYS = KEPT_DAYS - 2;
/** About 60 MB. */
export const MAX_SERIES = 200_000;

const DAY_US = 86_400_000_000;

/**
 * The last values of the counters whose points reach one partition: what a point adds is the difference. It depends on the points of
 * earlier blocks only, so that a worker which reads the stored states decides like one that has seen the points
 * (docs/develop/decisions/opentelemetry.md#119-count-the-differences-of-cumulative-points).
 */
export class SeriesStates {
  readonly #known = new Map<string, SeriesState>();
  #day = 0;
  #forgotAt = 0;

  constructor(known: Iterable<KnownSeries> = []) {
    for (const { series, startedAt, state } of known) {
      this.#known.set(keyOf({ series, startedAt }), state);
      this.#day = Math.max(this.#day, state.day);
    }
  }

  /** Starts the next block. `appendedAt`: of its last message, epoch milliseconds. */
  begin(appendedAt: number): SeriesOfBlock {
    const day = Math.max(this.#day, dayOf(appendedAt));
    this.#forget(day);
    return new SeriesOfBlock(this.#known, day);
  }

  /** Takes over the changes of a stored block. */
  remember(changes: readonly SeriesChange[]): void {
    for (const { series, startedAt, state } of changes) {
      this.#known.set(keyOf({ series, startedAt }), state);
      this.#day = Math.max(this.#day, state.day);
    }
  }

  #forget(day: number): void {
    if (day <= this.#forgotAt) return;
    for (const [key, state] of this.#known) if (state.day < day - KEPT_DAYS) this.#known.delete(key);
    this.#forgotAt = day;
  }
}

/** Judges the points of one block, in their order. */
export class SeriesOfBlock {
  readonly #known: ReadonlyMap<string, SeriesState>;
  readonly #changed = new Map<string, SeriesChange>();
  readonly #day: number;
  #added = 0;

  constructor(known: ReadonlyMap<string, SeriesState>, day: number) {
    this.#known = known;
    this.#day = day;
  }

  judge({ series, startedAt, at, value }: SeriesPoint): SeriesOutcome {
    const key = keyOf({ series, startedAt });
    const before = this.#known.get(key);
    const last = this.#changed.get(key)?.state ?? before;
    const change = (state: Omit<SeriesState, 'day'>): void => {
      this.#changed.set(key, { series, startedAt, before, state: { ...state, day: this.#day } });
    };
    if (last === undefined) {
      if (this.#known.size + this.#added >= MAX_SERIES)
        return { reason: 'too_many_counters', sample: String(MAX_SERIES) };
      this.#added += 1;
      change({ value, at, isBroken: false });
      const isOld = startedAt < (this.#day - MAX_UNKNOWN_DAYS) * DAY_US;
      return isOld ? { reason: 'unknown_start', sample: sampleOf(startedAt) } : { added: value };
    }
    // Whoever sends one counter twice, or late, sends a value from before.
    const isFallen = value < last.value && at > last.at;
    if (last.isBroken || isFallen) {
      if (!last.isBroken || last.day !== this.#day)
        change({ value: last.value, at: last.at, isBroken: true });
      return { reason: 'counter_fell', sample: `${value} after ${last.value}` };
    }
    const added = Math.max(0, value - last.value);
    if (added > 0) change({ value, at, isBroken: false });
    else if (last.day !== this.#day) change({ value: last.value, at: last.at, isBroken: false });
    return { added };
  }

  changes(): SeriesChange[] {
    return [...this.#changed.values()];
  }
}

function keyOf({ series, startedAt }: Pick<SeriesPoint, 'series' | 'startedAt'>): string {
  return `${series}${startedAt}`;
}

function sampleOf(startedAt: number): string {
  return `start ${new Date(startedAt / 1000).toISOString()}`;
}
