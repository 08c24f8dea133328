import { dayOf, isoDay, parseDay } from '#base/schema';
import { type Config, FlagmeterError } from '#base/runtime';

export type Granularity = 'day' | 'hour';

type Range = { readonly from: string; readonly to: string; readonly by: Granularity };

/** A day is complete five minutes after its end, as in the views. */
const DELAY_MS = 300_000;

/** The days of [from, to) since the epoch. Throws unless all are complete and still stored. */
export function readDays(
  { from, to, by }: Range,
  retention: Config['retention'],
  nowMs: number = Date.now(),
): number[] {
  const [first, end] = [readDay(from), readDay(to)];
  const today = dayOf(nowMs - DELAY_MS);
  const oldest =
    by === 'hour' ? today - retention.hourlyDays + 1 : monthsBefore(today, retention.dailyMonths) + 1;
  if (first >= end) throw usageError('--to must be later than --from');
  if (end > today) throw usageError(`--to must be at most ${isoDay(today)}: later days are not complete`);
  if (first < oldest)
    throw usageError(`--from must be at least ${isoDay(oldest)}: earlier days may have been deleted`);
  return Array.from({ length: end - first }, (_, index) => first + index);
}

function readDay(text: string): number {
  const day = parseDay(text);
  if (day === undefined) throw usageError(`${text} is not a day: write it as 2026-11-21`);
  return day;
}

function monthsBefore(day: number, months: number): number {
  const date = new Date(`${isoDay(day)}T00:00:00Z`);
  return dayOf(date.setUTCMonth(date.getUTCMonth() - months));
}

function usageError(message: string): FlagmeterError {
  return new FlagmeterError('usage', message);
}
