import { windowOf } from './window.ts';

export type Interval = 'minute' | 'hour' | 'day' | 'week' | 'month';

/** The stretch of time that a page shows, in epoch milliseconds. */
export type Range = {
  readonly from: number;
  /** Undefined: until now. */
  readonly to: number | undefined;
  readonly interval: Interval;
  readonly title: string;
};

type Query = Readonly<Record<string, string>>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The longest window of each interval. No chart has many more than 100 points, but a week shows its hours. */
const INTERVALS = [
  { interval: 'hour', longestMs: 7 * DAY_MS },
  { interval: 'day', longestMs: 100 * DAY_MS },
  { interval: 'week', longestMs: 110 * 7 * DAY_MS },
] as const;

/** Minutes are stored for two days. They are shown of a few hours, and of a whole day if the URL asks for them. */
const MINUTES = { storedMs: 48 * HOUR_MS, longestMs: 3 * HOUR_MS, longestAskedMs: DAY_MS };

/** Not shorter than any bucket of the interval. */
export const LONGEST_MS: Readonly<Record<Interval, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: 25 * HOUR_MS,
  week: 7 * DAY_MS + HOUR_MS,
  month: 31 * DAY_MS + HOUR_MS,
};

type Stretch = { readonly lengthMs: number; readonly beganMs: number; readonly by?: string | undefined };

/** Of a stretch that began so many milliseconds ago. `by` is what the URL asks for. */
export function intervalOf({ lengthMs, beganMs, by }: Stretch): Interval {
  const longestMs = by === 'minute' ? MINUTES.longestAskedMs : MINUTES.longestMs;
  if (lengthMs <= longestMs && beganMs <= MINUTES.storedMs) return 'minute';
  return INTERVALS.find(({ longestMs }) => lengthMs <= longestMs)?.interval ?? 'month';
}

const CURRENT_MS: Readonly<Partial<Record<Interval, number>>> = { minute: MINUTE_MS, hour: HOUR_MS };

/** The range of the URL: `from` and `to`, or else `window`, which begins with a whole hour and has as many buckets as it says. */
export function rangeOf(query: Query, now: number): Range {
  const [from, to] = [Date.parse(query['from'] ?? ''), Date.parse(query['to'] ?? '')];
  const { by } = query;
  if (from < to) {
    const interval = intervalOf({ lengthMs: to - from, beganMs: now - from, by });
    return { from, to, interval, title: 'from – to' };
  }
  const { hours, title } = windowOf(query['window']);
  const interval = intervalOf({ lengthMs: hours * HOUR_MS, beganMs: hours * HOUR_MS, by });
  // The current bucket is one of them.
  const length = hours * HOUR_MS - (CURRENT_MS[interval] ?? DAY_MS);
  return { from: now - length, to: undefined, interval, title };
}

/** 2026-11-22T09:00Z, for the URL. */
export function formatMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}

/** Whether a range that shows hours may show minutes, or shows them because somebody has asked for them. */
export function mayShowMinutes(query: Query, now: number): boolean {
  const shown = rangeOf({ ...query, by: '' }, now).interval;
  return shown === 'hour' && rangeOf({ ...query, by: 'minute' }, now).interval === 'minute';
}
