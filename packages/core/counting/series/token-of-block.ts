import {
  FORGOTTEN,
  type KnownSeries,
  type SeriesChange,
  type SeriesId,
  type SeriesState,
  type TokenSeries,
  compareKeys,
  keyOf,
} from './known-series.ts';

type Id = Omit<SeriesId, 'token'>;

/** The series of one token within a block: what was known at its beginning, and how the block changes it. */
export class TokenOfBlock {
  readonly #token: string;
  readonly #known: TokenSeries['known'];
  readonly #forgotten: SeriesState | undefined;
  readonly #seenAt: number;
  readonly #changed = new Map<string, SeriesChange>();
  /** Those of the beginning, the one that was silent for longest first, and the next one of them that may be forgotten. */
  readonly #silent: Iterator<KnownSeries>;
  #next: KnownSeries | undefined;
  #size: number;
  #forgottenTo: number;

  constructor(token: string, { known, forgotten }: TokenSeries = NOTHING, seenAt: number) {
    this.#token = token;
    this.#known = known;
    this.#forgotten = forgotten;
    this.#seenAt = seenAt;
    this.#silent = known.values();
    this.#size = known.size;
    this.#forgottenTo = forgotten?.value ?? 0;
  }

  get size(): number {
    return this.#size;
  }

  /** The latest start of the series that were forgotten, microseconds since the epoch. */
  get forgottenTo(): number {
    return this.#forgottenTo;
  }

  last(id: Id): SeriesState | undefined {
    const key = keyOf(id);
    const change = this.#changed.get(key);
    return change === undefined ? this.#known.get(key)?.state : change.state;
  }

  change(id: Id, state: Omit<SeriesState, 'seenAt'>): void {
    if (this.last(id) === undefined) this.#size += 1;
    this.#set(id, { ...state, seenAt: this.#seenAt });
  }

  /** Forgets the series that was silent for longest, unless it was seen after a time. Returns false if there is none. */
  forget(silentSince: number): boolean {
    const oldest = this.#oldest();
    if (oldest === undefined || oldest.state.seenAt > silentSince) return false;
    this.#size -= 1;
    this.#forgottenTo = Math.max(this.#forgottenTo, oldest.startedAt);
    this.#set(oldest, undefined);
    return true;
  }

  changes(): SeriesChange[] {
    const changes = [...this.#changed.values()].sort(compareKeys);
    const [value, seenAt] = [this.#forgottenTo, this.#seenAt];
    if (value === (this.#forgotten?.value ?? 0)) return changes;
    const place = { token: this.#token, series: FORGOTTEN, startedAt: 0, seenAt };
    return [
      ...changes,
      { ...place, before: this.#forgotten, state: { value, at: 0, isBroken: false, seenAt } },
    ];
  }

  #oldest(): KnownSeries | undefined {
    while (this.#next === undefined || this.#changed.has(keyOf(this.#next))) {
      const { done, value } = this.#silent.next() as IteratorResult<KnownSeries, undefined>;
      if (done === true) return undefined;
      this.#next = value;
    }
    return this.#next;
  }

  #set({ series, startedAt }: Id, state: SeriesState | undefined): void {
    const key = keyOf({ series, startedAt });
    const before = this.#known.get(key)?.state;
    this.#changed.set(key, { token: this.#token, series, startedAt, seenAt: this.#seenAt, before, state });
  }
}

const NOTHING: TokenSeries = { known: new Map(), forgotten: undefined };
