import { type Zone, formatTime } from '../format.ts';

const DAY_MS = 86_400_000;
/** A local day has 23 hours when its clocks go forward. */
const SHORTEST_DAY_MS = 23 * 3_600_000;

/** 2026-11-22 09:00 – 10:00, 2026-11-22, or 2026-11-16 – 2026-11-22: the first and the last day. */
export function formatBucket({ start, end }: Bucket, zone: Zone): string {
  const [from, to] = [formatTime(start, zone), formatTime(end, zone)];
  if (end - start < SHORTEST_DAY_MS)
    return isChange({ start, end }, zone)
      ? `${from} (${offsetOf(start)}) – ${to.slice(11)} (${offsetOf(end)})`
      : `${from} – ${to.slice(11)}`;
  const [first, last] = [from.slice(0, 10), formatTime(end - 1, zone).slice(0, 10)];
  return first === last ? first : `${first} – ${last}`;
}

type Bucket = { readonly start: number; readonly end: number };

/** Whether the clocks change in the bucket, so that its hours need their offsets. */
function isChange({ start, end }: Bucket, zone: Zone): boolean {
  return zone !== 'UTC' && minutesOf(start) !== minutesOf(end);
}

function minutesOf(time: number): number {
  return -new Date(time).getTimezoneOffset();
}

/** UTC+2, UTC+5:30 */
function offsetOf(time: number): string {
  const minutes = Math.abs(minutesOf(time));
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return `UTC${minutesOf(time) < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest}`;
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
