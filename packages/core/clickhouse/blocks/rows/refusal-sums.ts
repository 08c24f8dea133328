import { dayOf } from '#base/schema';
import type { Block } from '#core/counting';

type RefusalSums = { total: number; readonly byReason: Map<string, number> };

/** Refused metrics and applications by the day of their receipt (days since the epoch), in total and by reason. */
export function sumRefusals(refusals: Block['refusals']): Map<number, RefusalSums> {
  const days = new Map<number, RefusalSums>();
  for (const { receivedAt, reason, metrics } of refusals) {
    const day = days.get(dayOf(receivedAt)) ?? { total: 0, byReason: new Map<string, number>() };
    days.set(dayOf(receivedAt), day);
    day.total += metrics;
    day.byReason.set(reason, (day.byReason.get(reason) ?? 0) + metrics);
  }
  return days;
}
