import type { SeriesPoint } from './series-point.ts';

/** What is known of a series, by the last point that changed it. */
export type SeriesState = {
  readonly value: number;
  /** The time of the first point with this value, microseconds since the epoch. */
  readonly at: number;
  /** Whether the value has fallen, so that two processes must have sent it. Its points are refused from then on. */
  readonly isBroken: boolean;
  /** Names the block that wrote this: epoch milliseconds by the clock of the broker. Each block has a later one. */
  readonly seenAt: number;
};

export type KnownSeries = SeriesId & { readonly state: SeriesState };

/** A counter belongs to the token that sends it. */
export type SeriesId = Pick<SeriesPoint, 'series' | 'startedAt'> & { readonly token: string };

/** How a block changes a series. `before` is what was known at its beginning. Without a state it is forgotten. */
export type SeriesChange = SeriesId & {
  readonly seenAt: number;
  readonly before: SeriesState | undefined;
  readonly state: SeriesState | undefined;
};

/** What is known of the counters of a token. */
export type TokenSeries = {
  /** The one that was silent for longest comes first, so that all workers forget the same one. */
  readonly known: Map<string, KnownSeries>;
  /** Its value is the latest start of the counters that had to make room: one that started earlier may have been known. */
  forgotten: SeriesState | undefined;
};

/** How many series may be known: of one token, and of all together. */
export type SeriesLimits = { readonly each: number; readonly all: number };

/** About 80 MB in all. */
export const MAX_SERIES: SeriesLimits = { each: 50_000, all: 200_000 };

/** A series that sent nothing for longer is forgotten. */
export const KEPT_DAYS = 30;

/** The name of what a token has forgotten, among its series. Hashes are longer. */
export const FORGOTTEN = '';

type Key = Pick<SeriesPoint, 'series' | 'startedAt'>;

/** Names a series among those of its token. */
export function keyOf({ series, startedAt }: Key): string {
  return `${series}${startedAt}`;
}

/** The order of the changes of one block. */
export function compareKeys(one: Key, other: Key): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : Number(a > b);
}
