import { type Zone, formatTime } from '../format.ts';

const DAY_MS = 86_400_000;
/** A local day has 23 hours when its clocks go forward. */
const SHORTEST_DAY_MS = 23 * 3_600_000;

/** 2026-11-22 09:00 – 10:00, 2026-11-22, or 2026-11-16 – 2026-11-22: the first and the last day. */
export function formatBucket(
  { start, end }: { readonly start: number; readonly end: number },
  zone: Zone,
): string {
  const [from, to] = [formatTime(start, zone), formatTime(end, zone)];
  if (end - start < SHORTEST_DAY_MS) return `${from} – ${to.slice(11)}`;
  const [first, last] = [from.slice(0, 10), formatTime(end - 1, zone).slice(0, 10)];
  return first === last ? first : `${first} – ${last}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The mark of an axis: 09:00, 22 Nov, or Nov 2026, by the distance of the marks. */
export function formatTick(time: number, stepMs: number, zone: Zone): string {
  const text = formatTime(time, zone);
  const month = MONTHS[Number(text.slice(5, 7)) - 1] ?? '';
  if (stepMs >= 28 * DAY_MS) return `${month} ${text.slice(0, 4)}`;
  const clock = text.slice(11);
  return stepMs >= DAY_MS || clock === '00:00' ? `${Number(text.slice(8, 10))} ${month}` : clock;
}
