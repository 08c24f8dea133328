import { dayOf, startOfDayMs, startOfHourMs } from '#base/schema';
import type { Block } from '#core/counting';
import { impactMarkerLine } from './impact-rows.ts';
import { markerKey } from '../markers.ts';
import { sumRefusals } from './refusal-sums.ts';
import { lineOf, toUInt64, toUInt64s } from './row-values.ts';

/** The variant under which markers add up the counts of all variants. Markers with an empty one add up messages. */
const SUM_OF_VARIANTS = 'sum';

/** The reason under which markers add up the evaluations of all reasons. */
const SUM_OF_REASONS = 'sum';

/**
 * The rows that mark a block in its tables. The first marker of a day has the messages of the block. In tables by minute or hour there
 * is a marker for each minute or hour, in `refusals_daily` one for each reason: they have the sums of the rows with that hour or reason.
 */
export function* countMarkerLines(block: Block): Generator<string> {
  const { key, messages } = markerOf(block);
  const markedDays = new Set<number>();
  const daysWithVariants = new Set<number>();
  for (const [hour, sums] of block.hours) {
    const day = Math.floor(hour / 24);
    const place = { app_name: key, hour: startOfHourMs(hour) / 1000 };
    const reports = markedDays.has(day) ? 0 : messages;
    yield lineOf({ kind: 'usage_mark', ...place, ...toUInt64s(sums), reports, variants: [] });
    markedDays.add(day);
    if (sums.variants === 0n) continue;
    const variantCounts = [daysWithVariants.has(day) ? 0 : messages, toUInt64(sums.variants)];
    const names = ['', SUM_OF_VARIANTS];
    yield lineOf({ kind: 'variants_mark', ...place, variants: names, variant_counts: variantCounts });
    daysWithVariants.add(day);
  }
  yield* minuteMarkerLines(block, { key, messages });
}

function* minuteMarkerLines(
  { minutes }: Block,
  { key, messages }: { readonly key: string; readonly messages: string },
): Generator<string> {
  const markedDays = new Set<number>();
  for (const [minute, sums] of minutes) {
    const day = dayOf(minute * 60_000);
    yield lineOf({
      kind: 'minutes_mark',
      app_name: key,
      minute: minute * 60,
      ...toUInt64s(sums),
      reports: markedDays.has(day) ? 0 : messages,
      variants: sums.variants === 0n ? [] : [SUM_OF_VARIANTS],
      variant_counts: sums.variants === 0n ? [] : [toUInt64(sums.variants)],
    });
    markedDays.add(day);
  }
}

/** The markers in tables of samples, reasons and refusals. */
export function* otherMarkerLines(block: Block): Generator<string> {
  const { key, messages } = markerOf(block);
  yield* impactMarkerLines(block, { key, messages });
  yield* reasonMarkerLines(block, { key, messages });
  for (const [day, { byReason }] of sumRefusals(block.refusals)) {
    const mark = { kind: 'refusals_mark', app_name: key, hour: startOfDayMs(day) / 1000 };
    yield lineOf({ ...mark, reports: messages, refusal: [{}] });
    for (const [reason, metrics] of byReason)
      yield lineOf({ ...mark, reports: metrics, refusal: [{ reason }] });
  }
}

function markerOf({ range }: Block): { readonly key: string; readonly messages: string } {
  return { key: markerKey(range), messages: (range.to - range.from).toString() };
}

function* reasonMarkerLines(
  { reasons }: Block,
  { key, messages }: { readonly key: string; readonly messages: string },
): Generator<string> {
  const markedDays = new Set<number>();
  for (const [hour, evaluations] of reasons.hours) {
    const day = Math.floor(hour / 24);
    const mark = { kind: 'reason_mark', app_name: key, hour: startOfHourMs(hour) / 1000 };
    if (!markedDays.has(day)) yield lineOf({ ...mark, reports: messages, reason: [{}] });
    yield lineOf({ ...mark, reports: toUInt64(evaluations), reason: [{ reason: SUM_OF_REASONS }] });
    markedDays.add(day);
  }
}

function* impactMarkerLines(
  { impact }: Block,
  { key, messages }: { readonly key: string; readonly messages: string },
): Generator<string> {
  const markedDays = new Set<number>();
  for (const [hour, { total, observations }] of impact.hours) {
    const day = Math.floor(hour / 24);
    const place = { appName: key, environment: '', hour };
    yield impactMarkerLine(place, { messages: markedDays.has(day) ? '0' : messages, total, observations });
    markedDays.add(day);
  }
}
